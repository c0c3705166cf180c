// The leaderboard: a sortable table for each track, rows that open to the bounds, and a CSV file of what is shown.

import { columnName } from "./board.js";
import { columnsOf, shownOf } from "./boardcolumns.js";
import { count, duration, make, many, money, percent, range, shown, table } from "./dom.js";
import { entriesOf, tally } from "./entries.js";
import { sample } from "./kinds.js";
import { warnings } from "./overview.js";
import { published, takeAway } from "./publish.js";
import { paperOf } from "./sources.js";

export const GROUPINGS = { "agent,model,prompt": "agent, model and prompt", agent: "agent", model: "model", prompt: "prompt" };
const NAMES = ["agent", "model", "prompt"];
const NOTE = "Rates are of the n labelled attempts, in per cent, with 95 % intervals that take tasks with several attempts as clusters. USD each: of attempts with a label. USD per good attempt: all USD, of every try, for each of them. Front: nothing is as good for less USD; calibration takes no part.";
const opened = new Set();
const whole = new Set();
const MOST = 25;

/** context: { board, rows, state, go, again } */
export function leaderboard(context) {
  const by = GROUPINGS[context.state.by] ? context.state.by : "agent,model,prompt";
  const entries = entriesOf(context.board, tally(context.board, context.rows, by.split(",")));
  const tracks = context.board.names.track.filter((track) => entries.some((entry) => entry.track === track));
  const choice = make("label", {}, "One row for each ", make("select", { "data-key": "by", on: { change: (event) => context.go({ by: event.target.value }) } },
    Object.entries(GROUPINGS).map(([value, words]) => make("option", { value, selected: value === by }, words))));
  const paper = paperFor(context);
  const scores = by === NAMES.join() ? paper?.scores ?? [] : [];
  return [make("div", { class: "bar" }, choice), ...warnings(context.board), make("p", { class: "note" }, `${NOTE} Open a row for the bounds that attempts without a label could move a rate to.`),
    ...tracks.map((track) => trackTable(context, track, entries.filter((entry) => entry.track === track), scores)), ...pairs(context, paper)];
}

/** What was computed of the one run that is shown; null of several, and until it is there. */
function paperFor({ board, filters, again }) {
  const [run, ...others] = filters.run ?? board.names.run;
  return others.length || run === undefined ? null : paperOf(board, run, again);
}

const LONG = 12;
/** A long table is opened by who wants it. */
const folded = (title, rows, found) => (rows > LONG ? make("details", {}, make("summary", {}, title), found) : found);

/** Which column is better than which. */
function pairs({ filters }, paper) {
  if (!paper?.pairs?.length) return [make("p", { class: "note" }, "All pairs of columns are compared here for one run of two to 32 columns, calibration not counted; arena compare RUN --all does so for any.")];
  const narrowed = Object.keys(filters).some((field) => field !== "run");
  return [make("section", { "aria-label": "All pairs of columns" }, make("h2", {}, "All pairs of columns"),
    narrowed && make("p", { class: "warning" }, "Of the whole run: the other filters do not act here."),
    ...paper.pairs.map(({ title, columns, rows, note }) => folded(`${title}: ${many(rows.length, "row")}`, rows.length, published(title, columns, rows, note))))];
}

function trackTable(context, track, entries, scores) {
  const words = context.board.vocabularies[track];
  const every = columnsOf(words, scores);
  const columns = shownOf(every, context.state.cols, context.width);
  const [descending, key] = [context.state.sort.startsWith("-"), context.state.sort.replace(/^-/, "")];
  const named = { key: "name", heading: "attempts of", value: columnName };
  const column = [named, ...every].find((one) => one.key === key) ?? every[0];
  const ranked = sorted(entries, column.value, descending);
  const first = whole.has(track) ? ranked : ranked.slice(0, MOST);
  const lines = (entry) => rowsOf(context, words, columns, entry);
  const body = make("tbody", {}, first.flatMap(lines));
  const caption = make("caption", {}, first.length < ranked.length ? `The first ${first.length} of ${many(ranked.length, "row")}` : many(ranked.length, "row"));
  const headings = [named, ...columns].map((one) => heading(context, track, one, one === column && (descending ? "descending" : "ascending")));
  const title = `Leaderboard of track ${track}`;
  const note = [NOTE, words.score && `Score: ${words.score}.`, scores.length && "Scores without an interval are of the track's paper, of the whole run."].filter(Boolean).join(" ");
  return make("section", { "aria-label": title }, make("h2", {}, `Track ${track}`),
    words.score && make("p", { class: "note" }, `Score: ${words.score}.`), chooser(context, track, every, columns),
    make("div", { class: "wide", tabindex: 0, role: "region", "aria-label": `${title}, scrolls sideways` },
      make("table", { class: "leaderboard" }, caption,
        make("thead", {}, make("tr", {}, make("th", { scope: "col" }, make("span", { class: "hidden" }, "bounds")), headings)),
        body)),
    first.length < ranked.length && showAll(track, body, caption, () => ranked.slice(MOST).flatMap(lines)),
    takeAway(title, () => taken(title, track, every, columns, ranked, note)));
}

/** The table as texts of what is shown, and for programs all columns as numbers. */
function taken(title, track, every, columns, ranked, note) {
  const numbers = every.flatMap(({ csv }) => csv);
  const names = (entry) => [track, ...NAMES.map((field) => entry[field])];
  return { title, note, headings: ["attempts of", ...columns.map(({ heading }) => heading)], rows: ranked.map((entry) => [columnName(entry), ...columns.map(({ text }) => text(entry))]),
    plain: { note, headings: ["track", ...NAMES, ...numbers.map(([words]) => words)], rows: ranked.map((entry) => [...names(entry), ...numbers.map(([, of]) => of(entry))]) } };
}

/** Boxes for the columns, of which some are shown at first. */
function chooser({ state, go }, track, every, columns) {
  const box = (one) => {
    const act = ({ target }) => go({ cols: every.filter((other) => (other === one ? target.checked : columns.includes(other))).map(({ key }) => key).join() });
    return make("label", { class: "choice" }, make("input", { type: "checkbox", checked: columns.includes(one), "data-key": `col-${track}-${one.key}`, on: { change: act } }), ` ${one.heading}`);
  };
  return make("details", { class: "chooser", open: state.cols !== "" }, make("summary", { "data-key": `cols-${track}` }, `Columns: ${columns.length} of ${every.length}`), make("fieldset", {}, make("legend", { class: "hidden" }, "Columns"), every.map(box)),
    state.cols && make("button", { type: "button", "data-key": `cols-reset-${track}`, on: { click: () => go({ cols: "" }) } }, "The first ones again"));
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

function rowsOf(context, words, columns, entry) {
  const id = `${entry.track}/${columnName(entry)}/${context.state.by}`;
  const toggle = (event) => {
    const open = !opened.delete(id) && Boolean(opened.add(id));
    event.currentTarget.setAttribute("aria-expanded", open);
    event.currentTarget.textContent = open ? "−" : "+";
    const row = event.currentTarget.closest("tr");
    if (open) row.after(more(words, entry, columns.length + 2));
    else row.nextSibling.remove();
  };
  const open = opened.has(id);
  const button = make("button", { type: "button", class: "open", "aria-expanded": String(open), "aria-label": `Bounds of ${columnName(entry)}`, "data-key": `open-${id}`, on: { click: toggle } }, open ? "−" : "+");
  const [first, ...rest] = entry.lines;
  const title = entry.lines.join(" ") === columnName(entry) ? null : shown(columnName(entry)).slice(0, 2000);
  const cells = columns.map(({ cell, mark }) => make("td", { class: `number ${mark?.(entry) ? "on" : ""}` }, cell(entry)));
  const row = make("tr", {}, make("td", {}, button), make("th", { scope: "row", title }, first, rest.map((line) => make("small", {}, line))), cells);
  return open ? [row, more(words, entry, columns.length + 2)] : [row];
}

function more(words, entry, span) {
  const line = (title, found) => [title, found.count, found.n, percent(found.rate), range(found.interval), range(found.bounds)];
  const rows = [...words.labels.map(({ label }) => line(label, entry.labels[label])), line("good", entry.good), line("vulnerable", entry.vulnerable)];
  const passes = Object.entries(entry.pass_at).map(([k, one]) => `pass@${k} ${percent(one.value)} ${range([one.low, one.high])} of ${one.n} tasks`).join(", ");
  const facts = `${many(entry.tasks, "task")}, ${money(entry.usd)} USD, ${count(entry.tokens)} tokens, ${duration(entry.seconds)} in all. ${passes}`;
  return make("tr", { class: "more" }, make("td", { colspan: span }, make("p", {}, facts),
    table(`Bounds: ${columnName(entry)}`, ["label", "count", "n", "rate", "95 % interval", "bounds with all attempts"], rows)));
}
