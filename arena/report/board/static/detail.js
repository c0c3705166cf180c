// All that is known of one attempt. What agents, models and repositories wrote becomes text nodes, and nothing else.

import { count, duration, make, money, table } from "./dom.js";
import { findingText, folded, showPatch, showProgram } from "./diff.js";
import { showBeside } from "./beside.js";
import { jump, partId, pointers, pointing } from "./marks.js";
import { chooser, sameTask, steps, tabled } from "./neighbours.js";
import { showTrajectory } from "./trajectory.js";
import { plain, printed, prose, telling } from "./unseen.js";

const SHORT = 2000;

/** Puts the attempt into the element. detail: see `arena/report/detail.py`; context: that of the views. */
export function renderAttempt(element, detail, context) {
  const { state, link } = context;
  const here = (part) => link({ attempt: state.attempt, beside: state.beside, page: state.page, part });
  const others = sameTask(context);
  const to = pointers(detail.patch ?? null, here);
  const parts = SECTIONS.map(([title, build]) => [title, build(detail, { to, here, others, context })]).filter(([, nodes]) => nodes && nodes.length);
  const made = parts.map(([title, nodes]) => make("section", { "aria-label": title, id: partId(nameOf(title)) }, make("h3", { tabindex: -1 }, title), nodes));
  const jumps = parts.map(([title]) => make("a", { href: here(nameOf(title)), on: { click: () => jump(nameOf(title)) } }, title));
  element.append(make("article", { class: "attempt" }, make("nav", { class: "bar", "aria-label": "Other attempts" }, steps(context), chooser(context, detail, others)),
    headOf(detail), make("nav", { class: "bar", "aria-label": "Parts of this attempt" }, jumps), made));
}

/** A section in the address. */
const nameOf = (title) => title.toLowerCase().replace(/[^a-z]+/g, "-");

/** The patch alone, or with what the address has beside it. */
function patchOf(detail, { to, context }) {
  const { beside } = context.state;
  if (beside) {
    const place = make("div", {}, "Loading …");
    showBeside(place, detail, beside, to).catch((error) => place.replaceChildren(make("p", { class: "warning" }, `What is beside it could not be loaded: ${error.message}`)));
    return [place];
  }
  if (!detail.patch) return detail.program && showProgram(detail.program, detail.program.findings);
  return detail.patch.bytes ? showPatch(detail.patch, detail.sast?.findings ?? [], to) : [make("p", {}, "The agent changed nothing.")];
}

function headOf(detail) {
  const { key } = detail;
  const shownLabel = detail.label ?? (detail.health || "open");
  return make("header", { class: "plain" },
    make("h2", {}, telling(key.task), " × ", telling(key.column), key.replicate ? ` #${key.replicate}` : ""),
    make("p", { class: "lead" }, make("b", { class: "verdict", "data-kind": detail.kind || "none" }, telling(shownLabel)), " ", telling(detail.label ? detail.meaning : "no label")),
    detail.reason ? reasonOf(detail.reason) : null);
}

/** Its first line says it; the others, if any, are what a program printed. */
function reasonOf(reason) {
  const [first, ...printed] = reason.split("\n");
  return [make("p", {}, telling(first)), printed.length ? prose(printed.join("\n")) : null];
}

const SECTIONS = [
  ["Flags", flagsOf],
  ["Not shown or not readable", (detail) => (detail.problems.length ? [make("ul", { class: "warning" }, detail.problems.map((text) => make("li", {}, telling(text))))] : null)],
  ["Facts", factsOf],
  ["Instruction", (detail) => (detail.instruction.text ? [folded("What the agent was told", () => [prose(detail.instruction.text)], detail.instruction.text.length < SHORT)] : null)],
  ["Patch", patchOf],
  ["Build", ({ build }, { to }) => build && [ended(build), tailOf(build, to), logOf("Log of the build", build.log, to)]],
  ["Tests", testsOf],
  ["Crash", crashOf],
  ["SAST", sastOf],
  ["Results", (detail) => detail.tables.map((one) => tableOf(one))],
  ["Trajectory", (detail, { here }) => detail.trajectory && showTrajectory(detail, here)],
  ["Evidence", (detail) => (Object.keys(detail.evidence).length ? [folded("All other evidence", () => [printed(JSON.stringify(detail.evidence, null, 2))])] : null)],
  ["Others at this task", (detail, { context, others }) => tabled(context, others)],
  ["Downloads", downloadsOf],
  ["Commands", ({ lines }) => lines?.length ? [make("ul", {}, lines.map(lineOf))] : null],
];

function flagsOf({ flags }) {
  if (!flags.length) return null;
  const items = flags.map((flag) => make("li", {}, make("b", {}, "⚑ ", telling(flag.name)), flag.severity ? ` (${flag.severity})` : "", flag.step ? ` in step ${flag.step}` : "",
    ...(flag.why ? [": ", ...telling(flag.why)] : []), flag.quote ? prose(flag.quote) : null));
  return [make("p", { class: "note" }, "Signs of cheating. They never change a label."), make("ul", { class: "flags" }, items)];
}

function factsOf(detail) {
  const { task, cost, usage } = detail;
  const claimed = usage.claimed && Object.keys(usage.claimed).length ? pairsOf(usage.claimed) : "";
  const facts = {
    "attempt": detail.attempt, "run": `${detail.run}, pack ${detail.pack}, track ${detail.track}`, "task": [detail.key.task, task.title].filter(Boolean).join(": "),
    "language, project": [task.language, task.project, task.domain].filter(Boolean).join(", "), "CWE": task.cwes.join(", "), "agent, model, prompt": [detail.key.agent, detail.key.model, detail.key.prompt].filter(Boolean).join(", "),
    "health": detail.health || "open", "agent ended": detail.ended, "score": detail.score === null ? "" : `${detail.score.toFixed(3)} ${detail.score_means}`,
    "cost": `${money(cost.usd)} USD, ${count(cost.tokens ?? 0)} tokens, ${duration(cost.seconds)}, tries ${cost.tries}`, "metered in the last try": pairsOf(usage.metered), "claimed by the agent": claimed,
    "node": detail.node, "finished": detail.finished ?? "", "CWE of new findings": detail.found.join(", "),
    "rests on": (detail.provenance ?? []).map(([name, value]) => `${name} ${value}`).join("; "),
  };
  return [listOf(facts)];
}

const pairsOf = (object) => Object.entries(Object(object)).map(([name, value]) => `${name} ${typeof value === "object" ? JSON.stringify(value) : value}`).join(", ");

function listOf(facts) {
  const filled = Object.entries(facts).filter(([, value]) => value !== "" && value !== undefined && value !== null);
  return make("dl", { class: "facts" }, filled.flatMap(([name, value]) => [make("dt", {}, name), make("dd", {}, telling(String(value)))]));
}

function ended(step) {
  const how = step.stopped ? `ended by the limit of ${step.stopped}` : step.status === undefined ? "not run to an end" : `exit status ${step.status}`;
  return make("p", {}, telling(how), typeof step.seconds === "number" ? ` after ${duration(step.seconds)}` : "", ".");
}

const log = (text, to) => make("pre", { class: "text", tabindex: 0 }, pointing(plain(text), to));
const tailOf = (step, to) => (typeof step.tail === "string" && step.tail ? log(step.tail, to) : null);
const logOf = (title, found, to) => (found && found.text ? folded(found.cut ? `${title} (its end; ${count(found.cut)} characters before it are not shown)` : title, () => [log(found.text, to)]) : null);

function testsOf({ tests }, { to }) {
  if (!tests) return null;
  const lost = Object.entries(Object(tests.not_passed)).map(([kind, names]) => make("li", {}, make("b", {}, telling(kind)), ": ", [].concat(names).map((test, n) => [n ? ", " : "", testName(test, to)])));
  const counts = tests.wanted === undefined ? null : make("p", {}, `${tests.passed} of ${tests.wanted} tests that gold passes are passed.`);
  const problems = Array.isArray(tests.problems) && tests.problems.length ? make("ul", { class: "warning" }, tests.problems.map((text) => make("li", {}, telling(String(text))))) : null;
  const unstable = Array.isArray(tests.unstable) && tests.unstable.length ? make("p", { class: "note" }, "Not counted, as they are not stable with gold: ", telling(tests.unstable.join(", "))) : null;
  return [ended(tests), counts, lost.length ? make("ul", {}, lost) : null, problems, unstable, tailOf(tests, to), logOf("Log of the tests", tests.log, to)];
}

/** A test that is lost; with a link where the patch has its name. */
function testName(test, to) {
  const place = to.test(String(test));
  return place ? [telling(String(test)), " (", make("a", { href: place.href }, `line ${place.line} of the patch`), ")"] : telling(String(test));
}

function crashOf({ crash }, { to }) {
  if (!crash) return null;
  if (crash.crashed === null) return [make("p", {}, "The proof of concept was not replayed."), ended(crash), tailOf(crash, to), logOf("Log", crash.log, to)];
  if (!crash.crashed) return [make("p", {}, "The proof of concept does not crash."), ended(crash), logOf("Log of the replay", crash.log, to)];
  const whose = crash.historical === true ? "This is the historical vulnerability." : crash.historical === false ? "This is another crash than the historical one." : "";
  const frames = crash.frames.map((frame) => make("li", {}, make("code", {}, telling(frame.function || "?")), ...(frame.file ? [" ", ...placeOf(frame.file, frame.line, to)] : [])));
  return [make("p", {}, make("b", {}, telling(crash.signature)), ". ", whose), frames.length ? make("ol", { class: "frames", start: 0 }, frames) : null,
    crash.report ? folded("The sanitizer's report", () => [log(crash.report.text, to)], true) : null, logOf("Log of the replay", crash.log, to)];
}

/** FILE:LINE, as a link where the patch shows it. */
function placeOf(file, line, to) {
  const [href, words] = [line ? to.line(file, line) : null, [telling(file), line ? `:${line}` : ""]];
  return href ? [make("a", { href }, words)] : words;
}

function sastOf({ sast }, { to }) {
  if (!sast) return null;
  const items = sast.findings.map((finding) => make("li", {}, make("code", {}, placeOf(finding.path, finding.line, to)), " ", findingText(finding)));
  const blind = Array.isArray(sast.not_scanned) ? sast.not_scanned.map((one) => make("li", { class: Object(one).suspicious ? "warning" : null }, telling(`${Object(one).path ?? "?"}: ${Object(one).reason ?? ""}${Object(one).suspicious ? " (suspicious)" : ""}`))) : [];
  const by = [sast.tool, sast.rules === undefined ? "" : `${sast.rules} rules`, typeof sast.seconds === "number" ? duration(sast.seconds) : ""].filter(Boolean).join(", ");
  return [make("p", { class: "note" }, telling(by)), items.length ? make("ul", { class: "findings" }, items) : make("p", {}, "No new finding."),
    blind.length ? make("div", {}, make("h4", {}, "Not scanned"), make("ul", {}, blind)) : null];
}

function tableOf({ title, columns, rows, total }) {
  const cell = (value) => (value === null ? "–" : typeof value === "object" ? JSON.stringify(value) : String(value));
  const caption = rows.length < total ? `${title}: ${count(rows.length)} of ${count(total)}` : `${title}: ${count(total)}`;
  return table(caption, columns, rows.map((row) => row.map((value) => make("span", { class: "cell-text" }, telling(cell(value))))));
}

function downloadsOf(detail) {
  const whole = make("button", { type: "button", on: { click: () => save(JSON.stringify(detail, null, 1), `${detail.attempt}.json`) } }, "All of this as JSON");
  const links = detail.download === null ? [] : detail.artefacts.map((artefact) => make("li", {}, downloadLink(detail.download, artefact), sizeOf(detail.sizes?.[artefact])));
  return [whole, links.length ? make("ul", { class: "downloads" }, links) : null];
}

/** Bytes in words; of what is gone there is no link that works. */
const sizeOf = (bytes) => (bytes === undefined ? "" : bytes === null ? " (gone)" : bytes < 1024 ? ` (${bytes} bytes)` : bytes < 1 << 20 ? ` (${(bytes / 1024).toFixed(1)} KiB)` : ` (${(bytes / (1 << 20)).toFixed(1)} MiB)`);

/** A command that goes on from here, and a button that copies it. */
function lineOf(line) {
  const button = make("button", { type: "button", class: "small", "aria-label": `Copy ${line}`, on: { click: async () => {
    await navigator.clipboard.writeText(line);
    button.textContent = "Copied";
  } } }, "Copy");
  return make("li", {}, make("code", {}, telling(line)), " ", button);
}

function downloadLink(start, artefact) {
  const link = make("a", { download: "" }, telling(artefact));
  link.href = start + artefact.split("/").map(encodeURIComponent).join("/");
  return link;
}

function save(text, file) {
  const link = make("a", { download: file });
  link.href = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 1000);
}
