// The data of the page: columns of numbers that are filtered and counted.

import { short } from "./dom.js";

const TYPES = {
  run: Uint16Array, task: Uint32Array, agent: Uint16Array, model: Uint16Array, prompt: Uint16Array, replicate: Uint16Array,
  label: Uint8Array, health: Uint8Array, usd: Float32Array, tokens: Uint32Array, seconds: Float32Array, score: Float32Array, calls: Uint32Array,
};
const FORM = 2;
const LONG = 100;
const CREATED = 2;
const REPLICATES = 65536;

export function bytes(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const raw = atob(text);
  const found = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) found[i] = raw.charCodeAt(i);
  return found;
}

/** The columns as typed arrays, with what follows from them for each row. */
export function opened(data) {
  if (data.form !== FORM) throw new Error("the data are of another version than this page; write or serve both anew");
  const column = {};
  for (const [name, Type] of Object.entries(TYPES)) column[name] = new Type(bytes(data.columns[name]).slice().buffer);
  const flagged = new Uint8Array(data.n);
  for (const [row] of data.flags) flagged[row] = 1;
  const board = { ...data, column, ids: bytes(data.columns.id), flagged, compared: null, groupings: new Map(), kinds: {}, taskOrder: null, pairOf: null, kept: new Map() };
  board.short = Object.fromEntries(Object.entries(data.short).map(([field, cuts]) => [field, new Map(cuts.map((cut, n) => [data.names[field][n], cut]))]));
  board.labelled = data.names.label.map((label) => label !== "");
  board.trackOf = data.runs.map(([track]) => track);
  board.compared = compared(board);
  return board;
}

/** For each row 1, or 0 where the agent is one of its track's for calibration. */
function compared({ n, names, column, trackOf, vocabularies }) {
  const ofTrack = names.track.map((track) => names.agent.map((agent) => Number(!vocabularies[track].calibration.includes(agent.split(":")[0]))));
  return Uint8Array.from({ length: n }, (_, row) => ofTrack[trackOf[column.run[row]]][column.agent[row]]);
}

/** The id of an attempt: 16 hexadecimal digits. */
export function idOf(board, row) {
  let id = "";
  for (let i = 8 * row; i < 8 * row + 8; i++) id += board.ids[i].toString(16).padStart(2, "0");
  return id;
}

export function rowOf(board, id) {
  const wanted = id.match(/../g)?.map((pair) => parseInt(pair, 16)) ?? [];
  for (let row = 0; row < board.n; row++) {
    if (wanted.every((byte, i) => board.ids[8 * row + i] === byte)) return row;
  }
  return -1;
}

/**
 * Rows put into groups by track and the fields of `by` (agent, model, prompt), and into cells: a group's task.
 * { by, groups: [{track, agent, model, prompt, cells}], groupOf, cellOf, cellGroup, cellTask }; counted once, then kept.
 */
export function grouping(board, by) {
  const key = by.join();
  if (!board.groupings.has(key)) board.groupings.set(key, grouped(board, by));
  return board.groupings.get(key);
}

function grouped(board, by) {
  const { column, n, names, trackOf } = board;
  const [groups, groupAt, cellAt] = [[], new Map(), new Map()];
  const [groupOf, cellOf] = [new Uint32Array(n), new Uint32Array(n)];
  const [cellGroup, cellTask] = [[], []];
  const tasks = names.task.length;
  for (let row = 0; row < n; row++) {
    const track = trackOf[column.run[row]];
    let key = track;
    for (const field of by) key = key * names[field].length + column[field][row];
    let group = groupAt.get(key);
    if (group === undefined) {
      groupAt.set(key, (group = groups.length));
      groups.push({ track: names.track[track], agent: "", model: "", prompt: "", cells: [] });
      for (const field of by) groups[group][field] = names[field][column[field][row]];
      [groups[group].lines, groups[group].narrow] = [0, 1].map((width) => linesOf(board, groups[group], width));
    }
    const place = group * tasks + column.task[row];
    let cell = cellAt.get(place);
    if (cell === undefined) {
      cellAt.set(place, (cell = cellGroup.length));
      cellGroup.push(group);
      cellTask.push(column.task[row]);
      groups[group].cells.push(cell);
    }
    groupOf[row] = group;
    cellOf[row] = cell;
  }
  return { by, groups, groupOf, cellOf, cellGroup, cellTask };
}

/** A group's name in one or two lines, agent, then model and prompt, as the server cut them apart. width: 0 wide, 1 narrow. */
function linesOf({ short }, group, width) {
  const [agent, model, prompt] = ["agent", "model", "prompt"].map((field) => group[field] && short[field].get(group[field])[width]);
  const second = [model, group.prompt && group.prompt !== "neutral" && `(${prompt})`].filter(Boolean).join(" ");
  const lines = [agent, second].filter(Boolean);
  return lines.length ? lines : [prompt || "all"];
}

/** The run that was made last; undefined without runs. */
export function newest({ names, runs }, numbers = names.run.keys()) {
  return names.run[[...numbers].reduce((best, run) => (best === undefined || runs[run][CREATED] > runs[best][CREATED] ? run : best), undefined)];
}

/** The place of each task among all by name, CWE-20 before CWE-117; sorted once. */
export function taskOrder(board) {
  if (!board.taskOrder) {
    const { compare } = new Intl.Collator("en", { numeric: true });
    const { task } = board.names;
    board.taskOrder = new Uint32Array(task.length);
    [...task.keys()].sort((a, b) => compare(task[a], task[b])).forEach((number, place) => (board.taskOrder[number] = place));
  }
  return board.taskOrder;
}

/** For each row the number of its task and replicate; rows that are compared have the same. Counted once. */
export function pairNumbers(board) {
  if (!board.pairOf) {
    const { task, replicate } = board.column;
    const numbers = new Map();
    board.pairOf = new Uint32Array(board.n);
    for (let row = 0; row < board.n; row++) {
      const key = task[row] * REPLICATES + replicate[row];
      const number = numbers.get(key) ?? numbers.size;
      if (number === numbers.size) numbers.set(key, number);
      board.pairOf[row] = number;
    }
  }
  return board.pairOf;
}

/** What a group is called: agent, model, and the prompt where it is not the neutral one; very long names cut. */
export function columnName(group) {
  const prompt = group.prompt && group.prompt !== "neutral" ? `(${group.prompt})` : "";
  return [group.agent, group.model, prompt].filter(Boolean).map((part) => short(part, LONG)).join(" ") || "all";
}
