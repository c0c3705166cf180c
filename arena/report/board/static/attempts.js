// The attempts that the filters leave, fifty a page, each with a link to all that is known of it.

import { columnName, grouping, idOf } from "./board.js";
import { count, duration, make, money, name } from "./dom.js";
import { kindsOf, sample } from "./kinds.js";

const SIZE = 50;
const PACK = 4;
const BY = ["agent", "model", "prompt"];
const ORDERS = { usd: "USD", tokens: "tokens", seconds: "time", score: "score" };

/** context: { board, rows, state, go, link }; state.task: a cell, see cellKey. */
export function attempts(context) {
  const rows = orderedRows(context, within(context));
  const pages = Math.max(1, Math.ceil(rows.length / SIZE));
  const page = Math.min(pages, Math.max(1, parseInt(context.state.page, 10) || 1));
  const [from, to] = [(page - 1) * SIZE, Math.min(rows.length, page * SIZE)];
  const lines = [...rows.slice(from, to)].map((row) => line(context, row));
  const title = rows.length ? `Attempts ${count(from + 1)} to ${count(to)} of ${count(rows.length)}` : "No attempts";
  return [scope(context), pager(context, page, pages, "top"),
    make("div", { class: "wide", tabindex: 0, role: "region", "aria-label": "Attempts, scrolls sideways" }, make("table", { class: "attempts" }, make("caption", { "aria-live": "polite" }, title),
      make("thead", {}, make("tr", {}, headings(context))), make("tbody", {}, lines))),
    pager(context, page, pages, "bottom")].filter(Boolean);
}

/** How the address names a task's cell in a column; by names, as numbers change when attempts are added. */
export function cellKey(board, task, { agent, model, prompt }) {
  const [pack, track] = board.tasks[task].slice(PACK).map((number, i) => board.names[["pack", "track"][i]][number]);
  return new URLSearchParams({ track, pack, task: board.names.task[task], agent, model, prompt }).toString();
}

function cellOf({ board, state }) {
  if (!state.task) return null;
  const asked = Object.fromEntries(new URLSearchParams(state.task));
  const fits = (group) => ["track", ...BY].every((field) => group[field] === asked[field]);
  const group = grouping(board, BY).groups.findIndex(fits);
  const task = board.tasks.findIndex((_, n) => board.names.task[n] === asked.task && cellKey(board, n, asked) === state.task);
  return task < 0 || group < 0 ? null : { task, group, column: columnName(asked) };
}

/** The selected rows, of one cell where the address names one. */
export function within(context) {
  const cell = cellOf(context);
  if (!cell) return context.rows;
  const { groupOf } = grouping(context.board, BY);
  return context.rows.filter((row) => context.board.column.task[row] === cell.task && groupOf[row] === cell.group);
}

function scope(context) {
  const cell = cellOf(context);
  if (!cell) return null;
  return make("p", { class: "bar" }, "Task ", make("b", {}, name(context.board.names.task[cell.task])), ", ", make("b", {}, name(cell.column)),
    make("button", { type: "button", "data-key": "all-tasks", on: { click: () => context.go({ task: "" }) } }, "Show all tasks"));
}

/** The rows in the order that the address asks for. */
export function orderedRows({ board, state }, rows) {
  const values = state.order && board.column[state.order.replace(/^-/, "")];
  if (!values) return rows;
  const sign = state.order.startsWith("-") ? -1 : 1;
  return rows.slice().sort((a, b) => sign * (values[a] - values[b]) || (Number.isNaN(values[a]) ? 1 : 0) - (Number.isNaN(values[b]) ? 1 : 0) || a - b);
}

function headings(context) {
  const plain = ["label", "task", "attempt of", ...(runShown(context) ? ["run"] : [])].map((words) => make("th", { scope: "col" }, words));
  const sortable = Object.entries(ORDERS).map(([key, words]) => {
    const order = context.state.order === `-${key}` ? "descending" : context.state.order === key ? "ascending" : null;
    const act = () => context.go({ order: order === "descending" ? key : `-${key}` });
    return make("th", { scope: "col", "aria-sort": order }, make("button", { type: "button", class: "sort", "data-key": `order-${key}`, on: { click: act } },
      words, make("span", { "aria-hidden": "true", class: "arrow" }, order ? (order === "descending" ? "▼" : "▲") : "")));
  });
  return [...plain, ...sortable, make("th", { scope: "col" }, "flags")];
}

/** The run is told where there are several. */
const runShown = ({ filters }) => filters.run?.length !== 1;

function line(context, row) {
  const { board } = context;
  const { column, names } = board;
  const id = idOf(board, row);
  const score = column.score[row];
  const replicate = column.replicate[row] ? ` #${column.replicate[row]}` : "";
  const link = make("a", { href: context.link({ attempt: id }), "data-key": id }, name(names.task[column.task[row]]), replicate);
  return make("tr", {}, make("td", {}, labelOf(board, row)), make("th", { scope: "row" }, link),
    make("td", {}, nameOf(board, row)), runShown(context) && make("td", {}, name(names.run[column.run[row]])),
    [money(column.usd[row]), count(column.tokens[row]), duration(column.seconds[row]), Number.isNaN(score) ? "–" : score.toFixed(3)].map((text) => make("td", { class: "number" }, text)),
    make("td", {}, board.flagged[row] ? "⚑ flagged" : ""));
}

/** Who made the attempt of a row, in one or two lines as in the leaderboard. */
function nameOf(board, row) {
  const { groups, groupOf } = grouping(board, BY);
  const group = groups[groupOf[row]];
  const [first, ...rest] = group.lines;
  return make("span", { title: columnName(group) }, first, rest.map((line) => make("small", {}, line)));
}

/** The label of a row with its pattern, or its health where it has none. */
export function labelOf(board, row) {
  const label = board.column.label[row];
  const kind = kindsOf(board, board.names.track[board.trackOf[board.column.run[row]]])[label];
  const words = label ? board.names.label[label] : `(${board.names.health[board.column.health[row]] || "open"})`;
  return make("span", { class: "label" }, sample(kind), words);
}

function pager(context, page, pages, place) {
  if (pages === 1) return null;
  const button = (words, to, key) => make("button", { type: "button", "data-key": `${key}-${place}`, disabled: to < 1 || to > pages || to === page, on: { click: () => context.go({ page: String(to) }) } }, words);
  return make("nav", { class: "bar", "aria-label": `Pages, ${place}` }, button("First", 1, "first"), button("Previous", page - 1, "previous"),
    make("span", {}, `page ${page} of ${count(pages)}`), button("Next", page + 1, "next"), button("Last", pages, "last"));
}
