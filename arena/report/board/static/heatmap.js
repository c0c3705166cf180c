// Task x column: what is seen is drawn on a canvas, and one real cell moves over it with the keyboard.

import { cellKey } from "./attempts.js";
import { columnName, taskOrder } from "./board.js";
import { count, make, many, percent, short } from "./dom.js";
import { entriesOf, numbersOf, tally } from "./entries.js";
import { numbered } from "./chart.js";
import { colour, ink, kindsOf } from "./kinds.js";
import { published, takeAway } from "./publish.js";

const BY = ["agent", "model", "prompt"];
/** Pixels of a row, at most of a task's name, and of its letter. */
const [ROW, NAMES, LETTER] = [22, 220, 7];
/** Pixels of a heading's line and of what is left free over it and beside it; a heading has at most so many lines. */
const [HEAD_LINE, HEAD_EDGE, HEAD_LINES] = [14, 12, 4];
const [WIDEST, NARROWEST] = [132, 30];
const TALLEST = 620;
const LISTED = 200;
const MOVES = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1], PageUp: [-20, 0], PageDown: [20, 0] };

/** context: { board, rows, state, go, link, width }; a grid for each track. */
export function heatmap(context) {
  const counted = tally(context.board, context.rows, BY);
  const entries = entriesOf(context.board, counted);
  const tracks = context.board.names.track.filter((track) => entries.some((entry) => entry.track === track));
  return tracks.map((track) => trackGrid(context, counted, track, entries.filter((entry) => entry.track === track)));
}

function trackGrid(context, counted, track, entries) {
  const model = modelOf(context, counted, track, entries);
  const grid = new Grid(context, model);
  const used = Object.fromEntries(context.board.vocabularies[track].labels.map(({ label, meaning }) => [label, meaning]));
  return make("section", { "aria-label": `Heat map of track ${track}` }, make("h2", {}, `Track ${track}: ${many(model.tasks.length, "task")}, ${many(entries.length, "column")}`),
    make("p", { class: "note" }, `Each cell is a task and a column: colours are shares of labels, the text is the label or how many of its attempts are ${context.board.vocabularies[track].good.join(", ")}. Rows: least solved first. Arrow keys move, Enter opens the attempts of a cell.`),
    make("ul", { class: "legend" }, Object.entries(used).map(([label, meaning]) => make("li", {}, swatch(model.kindByLabel.get(label)), make("b", {}, label), ` ${meaning}`)), make("li", {}, make("b", {}, "?"), " no label")),
    grid.element, takeAway(`Heat map of track ${track}`, null, grid.canvas), numbers(model, track));
}

/** The same as a plain table, for those who read it line by line; made when it is opened. */
function numbers({ board, columns, tasks, at }, track) {
  const rows = () => tasks.slice(0, LISTED).map((task, row) => [short(board.names.task[task], 160), ...columns.map((_, column) => spelt(at(row, column)))]);
  const title = `Numbers: labels by task and column, track ${track}`;
  const said = tasks.length > LISTED ? `${title}; the first ${LISTED} of ${count(tasks.length)} tasks, filters show others` : title;
  const details = make("details", { class: "printed" }, make("summary", {}, title));
  details.addEventListener("toggle", () => {
    if (details.open && details.children.length === 1) details.append(published(said, ["task", ...columns.map(columnName)], rows()));
  });
  return details;
}

const spelt = (cell) => (cell ? cell.parts.map((part) => `${part.n} ${part.label}`).join(", ") : "none");

function swatch(kind) {
  const box = make("span", { class: "swatch", "aria-hidden": "true" });
  box.style.background = colour(kind);
  return box;
}

/** What a grid shows: columns with most good ones first, tasks with fewest first, and where each pair is counted. */
function modelOf({ board }, counted, track, entries) {
  const good = numbersOf(board, board.vocabularies[track].good);
  const columns = [...entries].sort((a, b) => (b.good.rate ?? -1) - (a.good.rate ?? -1));
  const kinds = kindsOf(board, track);
  const size = board.names.task.length;
  const [solved, labelled, seen] = [new Uint32Array(size), new Uint32Array(size), new Uint8Array(size)];
  const places = columns.map((column) => placesOf(counted, column, size, good, [solved, labelled, seen]));
  const share = (task) => (labelled[task] ? solved[task] / labelled[task] : 2);
  const order = taskOrder(board);
  const tasks = [...seen.keys()].filter((task) => seen[task]).sort((a, b) => share(a) - share(b) || order[a] - order[b]);
  const at = (row, column) => {
    const place = places[column][tasks[row]];
    return place ? cellOf(board, counted, place - 1, good, kinds) : null;
  };
  return { board, good: board.vocabularies[track].good.join(", "), columns, tasks, at, kindByLabel: new Map(board.names.label.map((label, n) => [label, kinds[n]])) };
}

/** For each task one more than the number of the column's cell, 0 where there is none; adds to the sums of tasks. */
function placesOf(counted, column, size, good, [solved, labelled, seen]) {
  const { width, labels, grouping } = counted;
  const places = new Uint32Array(size);
  for (const cell of column.cells) {
    const start = cell * width;
    let n = 0;
    for (let label = 1; label < width; label++) n += labels[start + label];
    if (!n && !labels[start]) continue;
    const task = grouping.cellTask[cell];
    for (const label of good) solved[task] += labels[start + label];
    labelled[task] += n;
    seen[task] = 1;
    places[task] = cell + 1;
  }
  return places;
}

function cellOf(board, counted, cell, good, kinds) {
  const parts = [];
  let n = 0;
  for (let label = 0; label < counted.width; label++) {
    const many = counted.labels[cell * counted.width + label];
    if (many) parts.push({ label: board.names.label[label] || "no label", kind: kinds[label], n: many });
    n += many;
  }
  const solved = good.reduce((sum, label) => sum + counted.labels[cell * counted.width + label], 0);
  return { n, parts, good: solved, labelled: n - counted.labels[cell * counted.width] };
}

/** The text of a cell: its label where all attempts have the same, else good ones of labelled ones. */
const textOf = (cell) => (cell.parts.length === 1 ? (cell.parts[0].label === "no label" ? "?" : cell.parts[0].label) : `${cell.good}/${cell.labelled}`);

/** As much of a text as fits: a cell's colour must never be all that tells its label. */
function fitting(pen, text, room) {
  let shown = text;
  while (shown.length > 1 && pen.measureText(shown).width > room) shown = `${shown.replace("…", "").slice(0, -1)}…`;
  return shown === "…" ? text[0] : shown;
}

/** Measures texts in pixels, in the letters of the grid. */
function widthsOf(element) {
  const pen = document.createElement("canvas").getContext("2d");
  pen.font = `12px ${getComputedStyle(element).fontFamily}`;
  return (text) => pen.measureText(text).width;
}

/** A column's name in lines that fit, broken after a slash or a blank; null where it does not fit. */
function headLines(lines, room, measure) {
  const made = [];
  for (const line of lines) {
    let current = "";
    for (const piece of line.split(/(?<=[/ ])/)) {
      if (measure((current + piece).trimEnd()) <= room) current += piece;
      else if (measure(piece.trimEnd()) > room) return null;
      else [current] = [piece, made.push(current)];
    }
    made.push(current);
  }
  const whole = made.map((line) => line.trim()).filter(Boolean);
  return whole.length <= HEAD_LINES ? whole : null;
}

class Grid {
  constructor(context, model) {
    Object.assign(this, { context, model, at: { row: 0, column: 0 } });
    const measure = widthsOf(document.body);
    const longest = Math.max(...model.tasks.map((task) => measure(short(model.board.names.task[task], NAMES / LETTER))));
    this.names = Math.min(NAMES, 0.4 * context.width, longest + HEAD_EDGE);
    this.wide = Math.max(NARROWEST, Math.min(WIDEST, Math.floor((context.width - this.names - 24) / model.columns.length)));
    this.heads = model.columns.map(({ lines }) => headLines(lines, this.wide - HEAD_EDGE / 2, measure));
    this.numbered = this.heads.includes(null);
    this.headHigh = HEAD_EDGE + HEAD_LINE * (this.numbered ? 1 : Math.max(...this.heads.map((lines) => lines.length)));
    this.high = Math.min(TALLEST, this.headHigh + ROW * model.tasks.length + 18);
    this.canvas = make("canvas", { "aria-hidden": "true", class: "cells" });
    if (this.numbered) this.canvas.columnNames = model.columns.map(columnName);
    this.said = make("p", { class: "hidden", "aria-live": "polite" });
    this.cell = make("a", { class: "cell", "data-key": "heat-cell", href: "#", on: { keydown: (event) => this.pressed(event), focus: () => this.reveal() } });
    this.head = make("span", { role: "rowheader", class: "hidden" });
    this.box = make("div", { role: "gridcell" }, this.cell);
    this.row = make("div", { role: "row", class: "row" }, this.head, this.box);
    this.space = make("div", { class: "space", "aria-hidden": "true" });
    this.view = make("div", { class: "heat", role: "grid", "aria-label": `Labels by task and column`, "aria-rowcount": model.tasks.length, "aria-colcount": model.columns.length,
      on: { scroll: () => this.later(), click: (event) => this.clicked(event), mousemove: (event) => this.hovered(event) } }, this.canvas, this.space, this.row);
    this.element = make("div", {}, this.numbered && numbered(model.columns.map(columnName)), this.view, this.said);
    this.space.style.width = `${this.names + this.wide * model.columns.length}px`;
    this.space.style.height = `${this.headHigh + ROW * model.tasks.length}px`;
    this.view.style.height = `${this.high}px`;
    this.place();
    requestAnimationFrame(() => this.paint());
  }

  later() {
    this.waiting ??= requestAnimationFrame(() => {
      this.waiting = null;
      this.paint();
    });
  }

  paint() {
    const { clientWidth: width, clientHeight: height, scrollLeft: left, scrollTop: top } = this.view;
    const ratio = devicePixelRatio || 1;
    if (this.canvas.width !== Math.round(width * ratio) || this.canvas.height !== Math.round(height * ratio)) {
      [this.canvas.width, this.canvas.height] = [Math.round(width * ratio), Math.round(height * ratio)];
      [this.canvas.style.width, this.canvas.style.height] = [`${width}px`, `${height}px`];
    }
    const pen = this.canvas.getContext("2d");
    const style = getComputedStyle(this.view);
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.font = `12px ${style.fontFamily}`;
    pen.fillStyle = style.getPropertyValue("--page");
    pen.fillRect(0, 0, width, height);
    const [from, to] = [Math.floor(top / ROW), Math.min(this.model.tasks.length, Math.ceil((top + height - this.headHigh) / ROW) + 1)];
    const [first, last] = [Math.floor(left / this.wide), Math.min(this.model.columns.length, Math.ceil((left + width - this.names) / this.wide) + 1)];
    for (let row = from; row < to; row++) this.paintRow(pen, row, [first, last], [left, top], style);
    this.paintHead(pen, [first, last], left, width, style);
  }

  paintRow(pen, row, [first, last], [left, top], style) {
    const task = this.model.tasks[row];
    const y = this.headHigh + row * ROW - top;
    for (let column = first; column < last; column++) {
      const cell = this.model.at(row, column);
      if (cell) this.paintCell(pen, cell, this.names + column * this.wide - left, y, style);
    }
    pen.clearRect(0, y, this.names, ROW);
    pen.fillStyle = style.color;
    pen.textAlign = "left";
    pen.fillText(this.taskName(pen, task), 4, y + 15);
  }

  taskName(pen, task) {
    const name = short(this.model.board.names.task[task], NAMES / LETTER);
    const room = this.names - HEAD_EDGE + 1;
    return pen.measureText(name).width <= room ? name : short(name, Math.floor(room / LETTER));
  }

  paintCell(pen, cell, x, y, style) {
    let from = x;
    for (const part of cell.parts) {
      const wide = (part.n / cell.n) * (this.wide - 2);
      pen.fillStyle = part.kind ? colour(part.kind) : style.getPropertyValue("--soft");
      pen.fillRect(from, y + 1, wide, ROW - 2);
      from += wide;
    }
    const text = fitting(pen, textOf(cell), this.wide - 4);
    const wide = pen.measureText(text).width;
    const middle = x + this.wide / 2 - 1;
    const single = cell.parts.length === 1;
    if (!single) {
      pen.fillStyle = "#ffffffd8";
      pen.fillRect(middle - wide / 2 - 3, y + 4, wide + 6, ROW - 8);
    }
    pen.fillStyle = !single ? "#111" : cell.parts[0].kind ? ink(cell.parts[0].kind) : style.color;
    pen.textAlign = "center";
    pen.fillText(text, middle, y + 15);
  }

  paintHead(pen, [first, last], left, width, style) {
    pen.fillStyle = style.getPropertyValue("--page");
    pen.fillRect(0, 0, width, this.headHigh - 1);
    pen.fillStyle = style.color;
    pen.textAlign = "center";
    for (let column = first; column < last; column++) {
      const x = this.names + (column + 0.5) * this.wide - left;
      const lines = this.numbered ? [String(column + 1)] : this.heads[column];
      lines.forEach((line, n) => pen.fillText(line, x, this.headHigh - 8 - HEAD_LINE * (lines.length - 1 - n)));
    }
    pen.textAlign = "left";
    pen.clearRect(0, 0, this.names, this.headHigh - 1);
    pen.fillText("task", 4, this.headHigh - 8);
  }

  /** Puts the real cell over the drawn one, and says what it holds. */
  place() {
    const { row, column } = this.at;
    const task = this.model.tasks[row];
    if (task === undefined) return;
    const [words, cell] = [this.model.board.names.task[task], this.model.at(row, column)];
    this.head.textContent = short(words, 160);
    this.row.setAttribute("aria-rowindex", row + 1);
    this.box.setAttribute("aria-colindex", column + 1);
    this.cell.setAttribute("aria-label", this.describe(row, column));
    this.cell.setAttribute("href", this.context.link({ tab: "attempts", task: cellKey(this.model.board, task, this.model.columns[column]) }));
    this.cell.classList.toggle("empty", !cell);
    Object.assign(this.row.style, { top: `${this.headHigh + row * ROW}px`, left: `${this.names + column * this.wide}px`, width: `${this.wide - 2}px`, height: `${ROW - 1}px` });
  }

  describe(row, column) {
    const task = this.model.tasks[row];
    const cell = this.model.at(row, column);
    const where = `${short(this.model.board.names.task[task], 80)}, ${short(columnName(this.model.columns[column]), 80)}`;
    if (!cell) return `${where}: no attempts`;
    const share = cell.labelled ? percent(cell.good / cell.labelled) : "no label";
    return `${where}: ${cell.parts.map((part) => `${part.n} ${part.label}`).join(", ")}; ${this.model.good} ${share} of ${cell.labelled}`;
  }

  pressed(event) {
    const [rows, columns] = [this.model.tasks.length, this.model.columns.length];
    const ends = { Home: { row: this.at.row, column: 0 }, End: { row: this.at.row, column: columns - 1 } };
    const move = MOVES[event.key];
    if (!move && !ends[event.key]) return;
    event.preventDefault();
    const to = ends[event.key] ?? { row: this.at.row + move[0], column: this.at.column + move[1] };
    this.at = { row: Math.max(0, Math.min(rows - 1, to.row)), column: Math.max(0, Math.min(columns - 1, to.column)) };
    this.place();
    this.reveal();
    this.said.textContent = this.describe(this.at.row, this.at.column);
  }

  /** Scrolls so that the cell is not below the headings. */
  reveal() {
    const [x, y] = [this.at.column * this.wide, this.at.row * ROW];
    const [wide, high] = [this.view.clientWidth - this.names - this.wide, this.view.clientHeight - this.headHigh - ROW];
    this.view.scrollTop = Math.max(y - high, Math.min(this.view.scrollTop, y));
    this.view.scrollLeft = Math.max(x - wide, Math.min(this.view.scrollLeft, x));
  }

  /** The cell below the mouse, null beside the cells. */
  below(event) {
    const box = this.view.getBoundingClientRect();
    const [x, y] = [event.clientX - box.left, event.clientY - box.top];
    if (x < this.names || y < this.headHigh) return null;
    const [row, column] = [Math.floor((y - this.headHigh + this.view.scrollTop) / ROW), Math.floor((x - this.names + this.view.scrollLeft) / this.wide)];
    return row < this.model.tasks.length && column < this.model.columns.length ? { row, column } : null;
  }

  clicked(event) {
    const at = this.below(event);
    if (!at || event.target === this.cell) return;
    this.at = at;
    this.place();
    this.cell.click();
  }

  hovered(event) {
    const at = this.below(event);
    this.view.title = at ? this.describe(at.row, at.column) : "";
  }
}
