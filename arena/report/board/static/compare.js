// Two columns side by side on the tasks that both did.

import { columnName, idOf } from "./board.js";
import { count, make, many, name, percent, points, range, short } from "./dom.js";
import { published } from "./publish.js";
import { bestOf, entriesOf, tally } from "./entries.js";
import { labelOf } from "./attempts.js";
import { compared } from "./pairs.js";

const BY = ["agent", "model", "prompt"];
const SHOWN = 50;
const MORE = 400;

/** context: { board, rows, state, go, link }; state.a, state.b: "track: column" */
export function compare(context) {
  const { board, rows, state } = context;
  const entries = entriesOf(board, tally(board, rows, BY));
  const ranked = byWeight(entries);
  if (ranked.length < 2) return [make("p", {}, "The filters leave fewer than two columns: there is nothing to compare.")];
  const a = ranked.find((entry) => keyOf(entry) === state.a) ?? bestOf(measured(ranked)) ?? bestOf(ranked);
  const others = ranked.filter((entry) => entry.track === a.track && entry !== a);
  const b = others.find((entry) => keyOf(entry) === state.b) ?? bestOf(measured(others).filter((entry) => entry.prompt === a.prompt)) ?? bestOf(others) ?? others[0];
  const chooser = make("div", { class: "bar" }, choice(context, "a", ranked, a, "A"), choice(context, "b", others, b, "B"));
  if (!b) return [chooser, make("p", {}, `No other column of the track ${a.track} is left to compare with.`)];
  const good = board.vocabularies[a.track].good;
  const found = compared(board, rows, BY, a.number, b.number, good);
  return [chooser, ...told(found, a, b, good.join(", ")), differing(context, found)];
}

/** Columns of the track with most attempts first, in it the best first. */
function byWeight(entries) {
  const sizes = new Map();
  for (const { track, attempts } of entries) sizes.set(track, (sizes.get(track) ?? 0) + attempts);
  return [...entries].sort((a, b) => sizes.get(b.track) - sizes.get(a.track) || (a.track < b.track ? -1 : a.track > b.track ? 1 : (b.good.rate ?? -1) - (a.good.rate ?? -1)));
}

/** Without those for calibration, whose rates are certain beforehand. */
const measured = (entries) => entries.filter((entry) => !entry.calibration);

/** What a column is called in the address: its fields one by one, as names may hold anything. */
const keyOf = (entry) => JSON.stringify([entry.track, entry.agent, entry.model, entry.prompt]);

function choice(context, side, entries, chosen, letter) {
  const options = entries.map((entry) => make("option", { value: keyOf(entry), selected: entry === chosen }, short(`${columnName(entry)} (${entry.track})`, 80)));
  const act = (event) => context.go({ [side]: entries[event.target.selectedIndex] ? keyOf(entries[event.target.selectedIndex]) : "" });
  return make("label", {}, `${letter} `, make("select", { "data-key": `side-${side}`, on: { change: act } }, options));
}

function told(found, a, b, good) {
  const { pairs, difference } = found;
  const [p, flip] = [found.p, found.flip].map((one) => (one < 0.0001 ? "below 0.0001" : one.toFixed(4)));
  const interval = difference.interval ? `, 95 % interval ${range(difference.interval)}` : ", no interval: fewer than two tasks";
  const rows = [
    [`both ${good}`, found.both], [`only A ${good}`, found.only_a], [`only B ${good}`, found.only_b], ["neither", found.neither],
  ].map(([words, n]) => [words, n, pairs.length ? percent(n / pairs.length) : "–"]);
  const lead = difference.value === null
    ? "No attempt of A and B is of the same task and replicate and labelled on both sides."
    : `Difference of rates, B less A: ${points(difference.value)}${interval}, ${many(pairs.length, "pair")} of ${many(found.tasks, "task")}. p by tasks: ${flip}; McNemar's exact p: ${p}.`;
  return [make("dl", { class: "facts" }, make("dt", {}, "A"), make("dd", {}, columnName(a)), make("dt", {}, "B"), make("dd", {}, columnName(b))), make("p", { class: "lead" }, lead),
    published("Pairs of attempts of the same task and replicate", ["pairs", "number", "share"], rows, `Left out, as one side has no label or no such attempt: ${count(found.unpaired.a)} of A, ${count(found.unpaired.b)} of B. The interval is a bootstrap over tasks (2,000 seeded draws; with more than 500 tasks a normal interval). The p by tasks is of the sign-flip test, which holds with several attempts of a task; McNemar's takes pairs as independent, which those are not.`, `${columnName(a)} is A, ${columnName(b)} is B. ${lead} `)];
}

function differing(context, found) {
  const { board } = context;
  const differ = found.pairs.filter((pair) => pair.a !== pair.b);
  if (!differ.length) return make("p", {}, "They differ in no pair.");
  const link = (row) => make("a", { href: context.link({ attempt: idOf(board, row) }), "data-key": idOf(board, row) }, labelOf(board, row));
  const line = ({ task, rowA, rowB }) => make("tr", {},
    make("th", { scope: "row" }, name(board.names.task[task])), make("td", { class: "number" }, String(board.column.replicate[rowA])), make("td", {}, link(rowA)), make("td", {}, link(rowB)));
  const body = make("tbody", {}, differ.slice(0, SHOWN).map(line));
  const shown = () => (body.children.length < differ.length ? `, the first ${count(body.children.length)} shown` : "");
  const caption = make("caption", { "aria-live": "polite" });
  const tell = () => (caption.textContent = `Where they differ: ${many(differ.length, "pair")}${shown()}`);
  const more = make("button", { type: "button", "data-key": "more-pairs", on: { click: () => {
    body.append(...differ.slice(body.children.length, body.children.length + MORE).map(line));
    more.hidden = body.children.length === differ.length;
    tell();
  } } }, "Show more");
  more.hidden = differ.length <= SHOWN;
  tell();
  return make("div", {}, make("table", {}, caption, make("thead", {}, make("tr", {}, ["task", "replicate", "A", "B"].map((words) => make("th", { scope: "col" }, words)))), body), more);
}
