// Search over what the agents of a run said and did; only a server has the index.

import { columnName, newest, rowOf } from "./board.js";
import { labelOf } from "./attempts.js";
import { count, make, name } from "./dom.js";
import { loadSearch, source } from "./sources.js";
import { telling } from "./unseen.js";

const KINDS = { "": "everything", message: "messages", reasoning: "reasoning", command: "commands and files", result: "results" };
const AGAIN = 1000;
const BY = ["agent", "model", "prompt"];

/** context: { board, rows, state, filters, go, link } */
export function search(context) {
  if (source() !== "live") return [make("p", {}, "Search needs a server: arena serve. Within one attempt, its steps can be searched here too.")];
  const { board, filters, state, go } = context;
  const run = filters.run?.[0] ?? newest(board);
  const words = make("input", { type: "search", value: state.q, "aria-label": "Words to search for", "data-key": "q", size: 40 });
  const act = (event) => {
    event?.preventDefault();
    go({ q: words.value, kind: kind.value });
  };
  const kind = make("select", { "aria-label": "Where", "data-key": "kind", on: { change: () => act() } }, Object.entries(KINDS).map(([value, said]) => make("option", { value, selected: value === state.kind }, said)));
  words.addEventListener("keydown", (event) => event.key === "Enter" && act(event));
  const place = make("div", { "aria-live": "polite" });
  if (state.q.trim()) ask(context, run, place);
  return [make("h2", {}, "Search the trajectories of run ", name(run)), make("div", { class: "bar", role: "search" }, words, kind, make("button", { type: "button", "data-key": "find", on: { click: act } }, "Search")),
    make("p", { class: "note" }, "All words must be in one message, command or result; one that is only begun ends in *. Filters act on what is found."), place];
}

async function ask(context, run, place) {
  try {
    const answer = await loadSearch(run, context.state.q, context.state.kind);
    place.replaceChildren(...told(context, answer));
    if (answer.left) setTimeout(() => place.isConnected && ask(context, run, place), AGAIN);
  } catch (error) {
    place.replaceChildren(make("p", { class: "warning" }, `Nothing could be searched: ${error.message}`));
  }
}

function told(context, { found, more, left }) {
  const wanted = new Set(context.rows);
  const lines = found.map((one) => ({ ...one, row: rowOf(context.board, one.attempt) })).filter(({ row }) => wanted.has(row));
  const words = context.state.q.split(/[^\p{L}\p{N}]+/u).filter(Boolean);
  return [make("p", { role: "status" }, `${lines.length ? count(lines.length) : "No"} text${lines.length === 1 ? "" : "s"} found${more ? ", the first ones" : ""}${left ? `; ${count(left)} attempts are not searchable yet, more comes` : ""}.`),
    make("ol", { class: "found-texts" }, lines.map((one) => line(context, one, words)))];
}

function line({ board, link }, { attempt, step, kind, text, row }, words) {
  const { column, names } = board;
  const column_ = columnName(Object.fromEntries(BY.map((field) => [field, names[field][column[field][row]]])));
  return make("li", {}, labelOf(board, row), " ", make("a", { href: link({ attempt, part: `step-${step}` }), "data-key": `${attempt}-${step}-${kind}` }, name(names.task[column.task[row]]), `, step ${step}`), ` ${kind} · `, name(column_),
    make("pre", { class: "text prose" }, marked(text, words)));
}

/** The text with each word that was asked for in a mark. */
function marked(text, words) {
  const parts = text.split(new RegExp(`(${words.join("|")})`, "giu"));
  return parts.map((part, n) => (n % 2 ? make("mark", {}, telling(part)) : telling(part)));
}
