// The tables and figures of the track's paper over one run, computed where the results are: as arena report prints them.

import { loadPaper } from "./board.js";
import { draw, make, short, table } from "./dom.js";

const CREATED = 2;

/** Of the newest run that the filters leave. */
export function paper({ board, rows }) {
  const run = newest(board, rows);
  const place = make("div", {}, "Loading …");
  const failed = (error) => [make("p", { class: "warning" }, `The tables could not be loaded: ${error.message}`)];
  loadPaper(board, run).then(contents, failed).then((found) => place.replaceChildren(...found));
  return [make("h2", {}, `Tables of the track's paper: run ${short(run)}`),
    make("p", {}, "Of the newest run that the filters leave; choose another by the filter Run."), place];
}

function newest({ column, names, runs }, rows) {
  const there = [...new Set(Array.from(rows, (row) => column.run[row]))];
  return names.run[there.reduce((best, run) => (runs[run][CREATED] > runs[best][CREATED] ? run : best))];
}

function contents(found) {
  if (!found || found.left_out) return [make("p", {}, "This page does not hold them. The command arena report prints them.")];
  const parts = [...found.tables.flatMap(({ title, columns, rows, note }) => [table(title, columns, rows), note && make("p", { class: "note" }, note)]), ...found.figures.map(drawing)];
  return parts.length ? parts.filter(Boolean) : [make("p", {}, "The paper of this track has none beside the other views.")];
}

function drawing({ title, svg }) {
  return make("figure", {}, make("figcaption", {}, title), make("div", { class: "wide", tabindex: 0, role: "region", "aria-label": title }, node(svg)));
}

function node([tag, attributes, children]) {
  return draw(tag, attributes, ...children.map((child) => (Array.isArray(child) ? node(child) : child)));
}
