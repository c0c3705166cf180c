// The leaderboard: a sortable table for each track, rows that open to the bounds, and a CSV file of what is shown.

import { columnName } from "./board.js";
import { csv, download } from "./csv.js";
import { count, duration, make, many, money, name, percent, range, table } from "./dom.js";
import { entriesOf, frontWord, tally } from "./entries.js";
import { sample } from "./kinds.js";
import { warnings } from "./overview.js";
import { changed } from "./state.js";

export const GROUPINGS = { "agent,model,prompt": "agent, model and prompt", agent: "agent", model: "model", prompt: "prompt" };
const NAMES = ["agent", "model", "prompt"];
const opened = new Set();
const whole = new Set();
const MOST = 25;

/** The columns of a track's table, each share once: key, heading, what is sorted by, what is shown, and what a CSV cell holds. */
function columnsOf(words) {
  const plain = (key, heading, value, cell = value) => ({ key, heading, value, cell });
  const rated = (key, heading, found, kind) => ({ key, heading, kind, value: (entry) => found(entry).rate, cell: (entry) => rateCell(found(entry)), rate: found });
  return [
    plain("agent", "agent", (e) => e.agent, (e) => name(e.agent)),
    plain("model", "model", (e) => e.model, (e) => name(e.model)),
    plain("prompt", "prompt", (e) => e.prompt, (e) => name(e.prompt)),
    plain("n", "attempts", (e) => e.attempts),
    plain("unlabelled", "no label", (e) => e.unlabelled),
    { ...rated("good", `good (${words.good.join(", ")})`, (e) => e.good, "good") },
    ...(words.score ? [{ ...plain("score", "score", (e) => e.score?.value ?? null, scoreCell), score: true }] : []),
    ...words.labels.filter(({ label }) => words.good.length > 1 || !words.good.includes(label)).map(({ label, kind }) => rated(`label:${label}`, label, (e) => e.labels[label], kind)),
    ...(words.vulnerable.length > 1 ? [rated("vulnerable", "vulnerable", (e) => e.vulnerable, "vulnerable")] : []),
    plain("usd", "USD per labelled attempt", (e) => e.usd_per_attempt, (e) => money(e.usd_per_attempt)),
    plain("tokens", "tokens per attempt", (e) => e.tokens / e.attempts, (e) => count(Math.round(e.tokens / e.attempts))),
    plain("seconds", "time per attempt", (e) => e.seconds / e.attempts, (e) => duration(e.seconds / e.attempts)),
    plain("flagged", "flagged", (e) => e.flagged),
    plain("pareto", "Pareto front", (e) => (e.pareto ? 1 : 0), frontCell),
  ];
}

const frontCell = (entry) => (entry.pareto ? "◆ " : "") + frontWord(entry);

function rateCell(found) {
  if (found.rate === null) return "–";
  return [make("b", {}, percent(found.rate)), make("small", {}, `${range(found.interval)} of ${count(found.n)}`)];
}

function scoreCell({ score }) {
  if (!score) return "–";
  return [make("b", {}, score.value.toFixed(3)), make("small", {}, `${score.low === null ? "" : `[${score.low.toFixed(3)}, ${score.high.toFixed(3)}]`} of ${count(score.n)}`)];
}

/** context: { board, rows, state, go } */
export function leaderboard(context) {
  const by = GROUPINGS[context.state.by] ? context.state.by : "agent,model,prompt";
  const entries = entriesOf(context.board, tally(context.board, context.rows, by.split(",")));
  const tracks = context.board.names.track.filter((track) => entries.some((entry) => entry.track === track));
  const choice = make("label", {}, "One row for each ", make("select", { "data-key": "by", on: { change: (event) => context.go({ by: event.target.value }) } },
    Object.entries(GROUPINGS).map(([value, words]) => make("option", { value, selected: value === by }, words))));
  const note = make("p", { class: "note" }, "Rates are of labelled attempts, with 95 % intervals that take tasks with several attempts as clusters. Open a row for the bounds that attempts without a label could move a rate to.");
  return [make("div", { class: "bar" }, choice), ...warnings(context.board), note, ...tracks.map((track) => trackTable(context, track, entries.filter((entry) => entry.track === track), by))];
}

function trackTable(context, track, entries, by) {
  const words = context.board.vocabularies[track];
  const shown = columnsOf(words).filter(({ key }) => !NAMES.includes(key) || by.split(",").includes(key));
  const [descending, key] = [context.state.sort.startsWith("-"), context.state.sort.replace(/^-/, "")];
  const column = shown.find((one) => one.key === key) ?? shown.find((one) => one.key === "good");
  const ranked = sorted(entries, column.value, descending);
  const first = whole.has(track) ? ranked : ranked.slice(0, MOST);
  const lines = (entry) => rowsOf(context, words, shown, entry);
  const body = make("tbody", {}, first.flatMap(lines));
  const caption = make("caption", {}, first.length < ranked.length ? `The first ${first.length} of ${many(ranked.length, "row")}` : many(ranked.length, "row"));
  const headings = shown.map((one) => heading(context, track, one, one === column && (descending ? "descending" : "ascending")));
  const save = make("button", { type: "button", "data-key": `csv-${track}`, on: { click: () => download(`leaderboard-${track}.csv`, csvOf(shown, ranked), "text/csv") } }, "Download as CSV");
  return make("section", { "aria-label": `Leaderboard of track ${track}` }, make("h2", {}, `Track ${track}`), save,
    words.score && make("p", { class: "note" }, `Score: ${words.score}.`),
    make("div", { class: "wide", tabindex: 0, role: "region", "aria-label": `Leaderboard of track ${track}, scrolls sideways` },
      make("table", { class: "leaderboard" }, caption,
        make("thead", {}, make("tr", {}, make("th", { scope: "col" }, make("span", { class: "hidden" }, "bounds")), headings)),
        body)),
    first.length < ranked.length && showAll(track, body, caption, () => ranked.slice(MOST).flatMap(lines)));
}

/** A button for the rows after the first: a table of hundreds takes longer to lay out than to count. */
function showAll(track, body, caption, rest) {
  const act = (event) => {
    whole.add(track);
    const rows = rest();
    body.append(...rows);
    caption.textContent = "All rows";
    event.currentTarget.hidden = true;
    rows[0].querySelector("button").focus();
  };
  return make("button", { type: "button", "data-key": `all-${track}`, on: { click: act } }, "Show all rows");
}

/** Entries in order of a value; those without one come last either way. */
export function sorted(entries, value, descending) {
  const order = (a, b) => (typeof a === "string" ? a.localeCompare(b, "en", { numeric: true }) : a - b);
  const [some, none] = [entries.filter((e) => value(e) !== null), entries.filter((e) => value(e) === null)];
  some.sort((a, b) => (descending ? order(value(b), value(a)) : order(value(a), value(b))) || columnName(a).localeCompare(columnName(b), "en"));
  return [...some, ...none];
}

function heading(context, track, { key, heading: words, kind }, order) {
  const next = order === "descending" ? key : `-${key}`;
  const arrow = order ? (order === "descending" ? "▼" : "▲") : "";
  const act = () => context.go({ sort: next });
  return make("th", { scope: "col", "aria-sort": order || null },
    make("button", { type: "button", class: "sort", "data-key": `sort-${track}-${key}`, on: { click: act } },
      kind && sample(kind), words, make("span", { "aria-hidden": "true", class: "arrow" }, arrow)));
}

function rowsOf(context, words, shown, entry) {
  const id = `${entry.track}/${columnName(entry)}/${context.state.by}`;
  const toggle = (event) => {
    const open = !opened.delete(id) && Boolean(opened.add(id));
    event.currentTarget.setAttribute("aria-expanded", open);
    event.currentTarget.textContent = open ? "−" : "+";
    const row = event.currentTarget.closest("tr");
    if (open) row.after(more(words, entry, shown.length + 1));
    else row.nextSibling.remove();
  };
  const open = opened.has(id);
  const button = make("button", { type: "button", class: "open", "aria-expanded": String(open), "aria-label": `Bounds of ${columnName(entry)}`, "data-key": `open-${id}`, on: { click: toggle } }, open ? "−" : "+");
  const cells = shown.map(({ key, cell }, i) => make(i === 0 ? "th" : "td", { scope: i === 0 ? "row" : null, class: NAMES.includes(key) ? null : `number ${key === "pareto" && entry.pareto ? "on" : ""}` }, cell(entry)));
  const row = make("tr", {}, make("td", {}, button), cells);
  return open ? [row, more(words, entry, shown.length + 1)] : [row];
}

function more(words, entry, span) {
  const line = (title, found) => [title, found.count, found.n, percent(found.rate), range(found.interval), range(found.bounds)];
  const rows = [...words.labels.map(({ label }) => line(label, entry.labels[label])), line("good", entry.good), line("vulnerable", entry.vulnerable)];
  const passes = Object.entries(entry.pass_at).map(([k, one]) => `pass@${k} ${percent(one.value)} ${range([one.low, one.high])} of ${one.n} tasks`).join(", ");
  const facts = `${many(entry.tasks, "task")}, ${money(entry.usd)} USD, ${count(entry.tokens)} tokens, ${duration(entry.seconds)} in all. ${passes}`;
  return make("tr", { class: "more" }, make("td", { colspan: span }, make("p", {}, facts),
    table(`Bounds: ${columnName(entry)}`, ["label", "count", "n", "rate", "95 % interval", "bounds with all attempts"], rows)));
}

function csvOf(shown, entries) {
  const headings = shown.flatMap((one) => (one.rate ? [`${one.heading} rate`, `${one.heading} low`, `${one.heading} high`, `${one.heading} n`] : one.score ? ["score", "score low", "score high", "score n"] : [one.heading]));
  const cells = (one, entry) => {
    if (one.score) return entry.score ? [entry.score.value, entry.score.low, entry.score.high, entry.score.n] : ["", "", "", 0];
    if (!one.rate) return [one.value(entry)];
    const found = one.rate(entry);
    return [found.rate, found.interval?.[0], found.interval?.[1], found.n];
  };
  return csv([["track", ...headings], ...entries.map((entry) => [entry.track, ...shown.flatMap((one) => cells(one, entry))])]);
}
