// The figures of SecureAgentBench, for each track of what the filters leave.

import { columnName } from "./board.js";
import { countBars, figure, legend, MOST } from "./chart.js";
import { answer } from "./answer.js";
import { count, duration, later, make, many, money, percent, short } from "./dom.js";
import { entriesOf, tally } from "./entries.js";
import { labelBars, labelHeadings, labelRows } from "./labelbars.js";
import { reminderFigure } from "./reminder.js";
import { scatterFigure } from "./scatter.js";
import { vulnerableFigure } from "./weaknesses.js";

const LONG = 100;

/** All figures of what is selected. context: { board, rows, width } */
export function overview(context) {
  const { board, rows } = context;
  const entries = entriesOf(board, tally(board, rows, ["agent", "model", "prompt"]));
  const tracks = board.names.track.filter((track) => entries.some((entry) => entry.track === track));
  const parts = tracks.map((track) => trackPart(context, track, entries.filter((entry) => entry.track === track)));
  const answers = tracks.map((track) => answer(context, track, ranked(entries.filter((entry) => entry.track === track))));
  return [...answers, totals(context, entries), ...warnings(board), ...parts, later(() => found(context)), later(() => flags(context))];
}

/** What is true of all attempts of the page, whatever the filters leave, and of those that are in no number. */
export const warnings = (board) => [...board.warnings.map((warning) => `Of all attempts here: ${warning}`), board.withdrawn ?? ""]
  .filter((text) => text)
  .map((text) => make("p", { class: "warning" }, text));

/** The entries, those with most good labels first. */
const ranked = (entries) => [...entries].sort((a, b) => (b.good.rate ?? -1) - (a.good.rate ?? -1));

function totals({ board, rows }, entries) {
  const sum = (name) => entries.reduce((all, entry) => all + entry[name], 0);
  const facts = [
    ["attempts", rows.length < board.n ? `${count(rows.length)} of ${count(board.n)}` : count(rows.length)],
    ["without a label", count(sum("unlabelled"))],
    ["cost", `${money(sum("usd"))} USD`],
    ["tokens", count(sum("tokens"))],
    ["agents' time", duration(sum("seconds"))],
    ["flagged", count(sum("flagged"))],
  ];
  return make("dl", { class: "totals" }, facts.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
}

function trackPart(context, track, entries) {
  const words = context.board.vocabularies[track];
  const best = ranked(entries);
  return make("section", { "aria-label": `Track ${track}` },
    make("h2", {}, `Track ${track}`),
    legend(words),
    labelFigure(context, words, best),
    later(() => scatterFigure(context, words, best)),
    later(() => vulnerableFigure(context, track)),
    later(() => reminderFigure(context, track, best)));
}

function labelFigure({ width }, words, entries) {
  const drawn = entries.slice(0, MOST);
  const best = drawn[0];
  const said = best ? `Bars of label shares for ${drawn.length} columns; best: ${columnName(best)} with ${percent(best.good.rate)} ${words.good.join(", ")}` : "No attempts";
  const more = entries.length > MOST ? ` The first ${MOST} of ${entries.length} are drawn.` : "";
  const note = `Each bar is an agent with its model and prompt; n is its labelled attempts; best ${words.good.join(", ")} first.${more}`;
  return figure("Labels by agent, model and prompt", note, labelBars(width, words, drawn, said),
    labelHeadings(words, "column"), () => labelRows(words, entries, columnName));
}

/** Counts of marks (flags, or CWEs of new findings) of the rows that are selected. */
function marked({ board, rows }, marks, names) {
  const chosen = new Uint8Array(board.n);
  for (const row of rows) chosen[row] = 1;
  const counts = new Map();
  for (const [row, mark] of marks) if (chosen[row]) counts.set(names[mark], (counts.get(names[mark]) ?? 0) + 1);
  return [...counts].map(([mark, n]) => [short(mark, LONG), n]).sort((a, b) => b[1] - a[1]);
}

function found(context) {
  const rows = marked(context, context.board.found, context.board.names.cwe);
  if (!rows.length) return null;
  const all = rows.reduce((sum, [, n]) => sum + n, 0);
  const said = `${many(all, "new finding")} of ${rows.length} CWEs; most: ${rows[0][0]} with ${rows[0][1]}`;
  return make("section", { "aria-label": "New findings" }, figure("CWE of new findings",
    `${many(all, "finding")} that the task's own code does not have, in ${count(context.rows.length)} attempts.`,
    countBars(context.width, said, rows.slice(0, MOST), "new findings, number"), ["CWE", "findings", "share of findings"],
    () => rows.map(([cwe, n]) => [cwe, n, percent(n / all)])));
}

function flags(context) {
  const rows = marked(context, context.board.flags, context.board.names.flag);
  if (!rows.length) return null;
  const said = `Flags of ${rows.length} sorts; most: ${rows[0][0]} with ${rows[0][1]} attempts`;
  return make("section", { "aria-label": "Flags" }, figure("Attempts with signs of cheating",
    `Attempts with each flag, of ${count(context.rows.length)}; an attempt may have several.`,
    countBars(context.width, said, rows.slice(0, MOST), "attempts, number"), ["flag", "attempts"], () => rows));
}

