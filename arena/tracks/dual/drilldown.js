"use strict";
// Builds samples and tests when they are opened. All that comes from results is set as text, never as markup.
(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const [form, told, list, more] = ["filters", "told", "list", "more"].map((id) => document.getElementById(id));
  const STEP = 100;
  const chosen = { words: "" };

  const safe = (text) => String(text).replace(/[^\P{C}\n\t]/gu, "\uFFFD");
  const make = (tag, text, style) => {
    const made = document.createElement(tag);
    if (text !== undefined) made.textContent = safe(text);
    if (style) made.className = style;
    return made;
  };

  const samples = data.results.flatMap((result) =>
    result.samples.map((sample) => ({ ...sample, model: result.name })));
  const OF_SAMPLE = ["model", "language", "domain", "level", "state"];
  const OF_TEST = ["kind", "cwe", "verdict", "oracle"];
  const values = (test, name) => (name === "cwe" ? test.cwes : [test[name]]);

  const fits = (test) => OF_TEST.every((name) => !chosen[name] || values(test, name).includes(chosen[name]));
  const wanted = (sample) =>
    OF_SAMPLE.every((name) => !chosen[name] || sample[name] === chosen[name]) &&
    (!chosen.words || `${sample.task} ${sample.sample}`.toLowerCase().includes(chosen.words)) &&
    (OF_TEST.every((name) => !chosen[name]) || sample.tests.some(fits));

  const lazily = (holder, build) => holder.addEventListener("toggle", () => {
    if (holder.open && !holder.dataset.built) {
      holder.dataset.built = "yes";
      build();
    }
  });

  const drawTest = (sample, test) => {
    const holder = make("details", undefined, test.verdict);
    const which = [test.id, test.kind, test.cwe].filter(Boolean).join(", ");
    const why = [test.oracle, test.reason].filter(Boolean).join(": ");
    holder.append(make("summary", `${test.verdict}: ${which}${why ? ` \u2014 ${why}` : ""}`));
    lazily(holder, () => {
      const facts = (data.facts[sample.task] || {})[test.id] || {};
      const table = make("dl");
      const others = test.oracles.map((one) => `${one.judge ? "model: " : ""}${one.oracle}: ${one.verdict} ${one.reason}`);
      const rows = [["title", facts.title], ["input", facts.input], ["expected", facts.expected],
        ["observed", test.observed], ["why", why], ["oracles", others.join("\n")]];
      for (const [name, text] of rows) {
        if (!text) continue;
        const told = make("dd");
        told.append(make("pre", text));
        table.append(make("dt", name), told);
      }
      holder.append(table);
    });
    return holder;
  };

  const drawSample = (sample) => {
    const holder = make("details");
    const passed = ["functional", "security"].map((kind) => {
      const own = sample.tests.filter((test) => test.kind === kind);
      return `${own.filter((test) => test.verdict === "pass").length}/${own.length} ${kind}`;
    });
    const which = [data.results.length > 1 ? sample.model : "", sample.task, sample.sample, sample.language];
    holder.append(make("summary", `${which.filter(Boolean).join(" / ")}: ${sample.state}; ${passed.join(", ")}`));
    lazily(holder, () => {
      if (sample.why) holder.append(make("p", sample.why));
      holder.append(...sample.tests.filter(fits).map((test) => drawTest(sample, test)));
    });
    return holder;
  };

  let rest = [];
  const grow = () => {
    list.append(...rest.splice(0, STEP).map(drawSample));
    more.hidden = rest.length === 0;
  };
  const refresh = () => {
    rest = samples.filter(wanted);
    const tests = rest.reduce((sum, sample) => sum + sample.tests.filter(fits).length, 0);
    told.textContent = `${rest.length} samples, ${tests} tests`;
    list.replaceChildren();
    grow();
  };

  const select = (name, found) => {
    const label = make("label", name);
    const menu = make("select");
    const every = make("option", "all");
    every.value = "";
    menu.append(every, ...found.map((value) => {
      const option = make("option", value);
      option.value = value;
      return option;
    }));
    menu.addEventListener("change", () => {
      chosen[name] = menu.value;
      refresh();
    });
    label.append(menu);
    return label;
  };

  const distinct = (all) => [...new Set(all)].filter(Boolean).sort((a, b) => a.localeCompare(b, "en", { numeric: true }));
  const tests = samples.flatMap((sample) => sample.tests);
  for (const name of OF_SAMPLE) form.append(select(name, distinct(samples.map((sample) => sample[name]))));
  for (const name of OF_TEST) form.append(select(name, distinct(tests.flatMap((test) => values(test, name)))));
  const words = make("input");
  words.type = "search";
  words.addEventListener("input", () => {
    chosen.words = words.value.toLowerCase();
    refresh();
  });
  const search = make("label", "task or sample");
  search.append(words);
  form.append(search);
  form.addEventListener("submit", (event) => event.preventDefault());
  more.addEventListener("click", grow);
  refresh();
})();
