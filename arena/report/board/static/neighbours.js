// From one attempt to others: before and after it in the list, at the same task, and which stands beside it.

import { columnName, idOf, rowOf } from "./board.js";
import { labelOf, orderedRows, within } from "./attempts.js";
import { count, make, short } from "./dom.js";

const MOST = 100;
const BY = ["agent", "model", "prompt"];
const REFERENCES = { gold: "gold: the developers' own", fixed: "fixed: gold with the fix" };

/** Links to the attempts before and after in the list that the filters leave. context: { board, rows, state, link } */
export function steps(context) {
  const rows = orderedRows(context, within(context));
  const at = rows.indexOf(rowOf(context.board, context.state.attempt));
  const to = (words, n, key) => (at >= 0 && rows[n] !== undefined ? make("a", { href: context.link({ attempt: idOf(context.board, rows[n]), beside: context.state.beside, page: context.state.page }), "data-key": key }, words) : null);
  return [to("← Previous", at - 1, "previous"), at >= 0 ? make("span", {}, `${count(at + 1)} of ${count(rows.length)}`) : null, to("Next →", at + 1, "next")];
}

/** Other attempts at the same task, those of the same run first: [{ row, id, name }]. */
export function sameTask({ board, state }) {
  const own = rowOf(board, state.attempt);
  if (own < 0) return [];
  const { column, names } = board;
  const found = [];
  for (let row = 0; row < board.n; row++) if (column.task[row] === column.task[own] && row !== own) found.push(row);
  found.sort((a, b) => (column.run[b] === column.run[own]) - (column.run[a] === column.run[own]) || a - b);
  return found.slice(0, MOST).map((row) => {
    const name = columnName(Object.fromEntries(BY.map((field) => [field, names[field][column[field][row]]])));
    return { row, id: idOf(board, row), name: `${name}${column.replicate[row] ? ` #${column.replicate[row]}` : ""}${column.run[row] === column.run[own] ? "" : ` (${names.run[column.run[row]]})`}` };
  });
}

/** A chooser of what stands beside the patch: gold, the fixed one, or another attempt at the task. */
export function chooser({ board, state, go }, detail, others) {
  const option = (value, words) => make("option", { value, selected: value === state.beside }, words);
  const known = Object.keys(REFERENCES).filter((name) => detail.references?.[name]);
  const label = (row) => board.names.label[board.column.label[row]] || "no label";
  return make("label", {}, "Beside it ", make("select", { "aria-label": "Beside it", "data-key": "beside", on: { change: ({ target }) => go({ attempt: state.attempt, beside: target.value }) } },
    option("", "nothing"), known.map((name) => option(name, REFERENCES[name])), others.map(({ id, name, row }) => option(id, `${label(row)} · ${short(name, 70)}`))));
}

/** Those at the same task as a list of links; null where there is none. */
export function listed(context, others) {
  if (!others.length) return null;
  const line = ({ row, id, name }) => make("li", {}, labelOf(context.board, row), " ", make("a", { href: context.link({ attempt: id }), "data-key": `other-${id}` }, short(name, 120)), " ",
    make("a", { href: context.link({ attempt: context.state.attempt, beside: id }), "aria-label": `Beside it: ${short(name, 120)}` }, "beside"));
  return [make("ul", { class: "others" }, others.map(line))];
}
