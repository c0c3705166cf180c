// The tables and figures of the track's paper over one run, computed where the results are: as arena report prints them.

import { newest } from "./board.js";
import { draw, make, short } from "./dom.js";
import { published, takeAway } from "./publish.js";
import { paperOf } from "./sources.js";

/** Of the newest run that the filters leave. */
export function paper({ board, rows, again }) {
  const run = newest(board, new Set(Array.from(rows, (row) => board.column.run[row])));
  const found = paperOf(board, run, again);
  return [make("h2", {}, `Tables of the track's paper: run ${short(run)}`),
    make("p", {}, "Of the newest run that the filters leave; choose another above."), ...(found ? contents(found) : [make("p", {}, "Loading …")])];
}

function contents(found) {
  if (found.failed) return [make("p", { class: "warning" }, "The tables could not be loaded.")];
  if (!found.tables || found.left_out) return [make("p", {}, "This page does not hold them. The command arena report prints them.")];
  const parts = [...found.tables.map(({ title, columns, rows, note }) => published(title, columns, rows, note)), ...found.figures.map(drawing)];
  return parts.length ? parts.filter(Boolean) : [make("p", {}, "The paper of this track has none beside the other views.")];
}

function drawing({ title, svg }) {
  const drawn = node(svg);
  return make("figure", {}, make("figcaption", {}, title), make("div", { class: "wide", tabindex: 0, role: "region", "aria-label": title }, drawn), takeAway(title, null, drawn));
}

function node([tag, attributes, children]) {
  return draw(tag, attributes, ...children.map((child) => (Array.isArray(child) ? node(child) : child)));
}
