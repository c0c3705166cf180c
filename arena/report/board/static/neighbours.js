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
  return make("label", {}, "Beside it ", make("select", { "aria-label": "Beside it", "data-key": "beside", on: { change: ({ target }) => go({ attempt: state.attempt, beside: target.value }) } },
    option("", "nothing"), known.map((name) => option(name, REFERENCES[name])), others.map(({ id, name, row }) => option(id, `${labelText(board, row)} · ${short(name, 70)}`))));
}

/** Those at the same task as a table, an agent in each row and a model with its prompt in each column; null where there is none. */
export function tabled(context, others) {
  if (!others.length) return null;
  const { column, names } = context.board;
  const own = rowOf(context.board, context.state.attempt);
  const field = (row, name) => names[name][column[name][row]];
  const agentOf = (row) => `${field(row, "agent")}${column.run[row] === column.run[own] ? "" : ` (${field(row, "run")})`}`;
  const modelOf = (row) => columnName({ agent: "", model: field(row, "model"), prompt: field(row, "prompt") });
  const [agents, models] = [agentOf, modelOf].map((of) => [...new Set(others.map(({ row }) => of(row)))]);
  models.sort((a, b) => (a < b ? -1 : 1));
  const link = ({ row, id, name }) => {
    const label = labelOf(context.board, row);
    return make("a", { href: context.link({ attempt: id }), "aria-label": `${label.textContent} ${short(name, 120)}`, "data-key": `other-${id}` }, label);
  };
  const cell = (agent, model) => make("td", {}, others.filter(({ row }) => agentOf(row) === agent && modelOf(row) === model).map((one) => [link(one), " "]));
  const head = (words, scope) => make("th", { scope }, short(words, 60));
  return [make("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "Table of others at this task" }, make("table", { class: "others" },
    make("thead", {}, make("tr", {}, make("th", { scope: "col" }, "agent"), models.map((model) => head(model, "col")))),
    make("tbody", {}, agents.map((agent) => make("tr", {}, head(agent, "row"), models.map((model) => cell(agent, model)))))))];
}

const labelText = (board, row) => board.names.label[board.column.label[row]] || "no label";
