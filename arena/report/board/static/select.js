// Which rows the filters leave, and how many rows each value of a filter would leave.

/** The fields of arena/report/selection.py, in the order in which the page shows them. */
export const FIELDS = ["track", "run", "agent", "model", "prompt", "language", "project", "cwe", "domain", "label", "health"];
const OF_ROW = ["run", "agent", "model", "prompt", "label", "health"];
const OF_TASK = { language: 0, project: 1, domain: 2 };
const CWES = 3;

/** The filters as they act: without a run the newest, and "*" is all runs. */
export function effective(filters, newest) {
  const { run = newest === undefined ? [] : [newest], ...others } = filters;
  return run.length && !run.includes("*") ? { ...others, run } : others;
}

/** For each value of a field 1 where it is wanted; null where all are. */
function wanted(names, values) {
  if (!values?.length) return null;
  const asked = new Set(values);
  return Uint8Array.from(names, (name) => (asked.has(name) ? 1 : 0));
}

/** For each task, a bit for each of the task's fields that is not as asked. */
function taskMisses(board, masks) {
  const asked = Object.entries(OF_TASK).filter(([field]) => masks[field]).map(([field, place]) => [place, masks[field], bit(field)]);
  if (!asked.length && !masks.cwe) return new Uint32Array(board.tasks.length);
  return Uint32Array.from(board.tasks, (facts) => {
    let missed = 0;
    for (const [place, mask, own] of asked) if (!mask[facts[place]]) missed |= own;
    if (masks.cwe && !facts[CWES].some((cwe) => masks.cwe[cwe])) missed |= bit("cwe");
    return missed;
  });
}

const bit = (field) => 1 << FIELDS.indexOf(field);

/** filters: {field: [wanted names]} -> { rows: Uint32Array, missed }, where `missed` has for each row a bit a filter it fails. */
export function select(board, filters) {
  const masks = Object.fromEntries(FIELDS.map((field) => [field, wanted(board.names[field], filters[field])]));
  const { column, n, trackOf } = board;
  const ofTask = taskMisses(board, masks);
  const ofRun = Uint32Array.from(trackOf, (track) => (masks.track && !masks.track[track] ? bit("track") : 0));
  const asked = OF_ROW.filter((field) => masks[field]).map((field) => [column[field], masks[field], bit(field)]);
  const [missed, rows, { task, run }] = [new Uint32Array(n), new Uint32Array(n), column];
  for (let row = 0; row < n; row++) missed[row] = ofTask[task[row]] | ofRun[run[row]];
  for (const [values, mask, own] of asked) mark(missed, values, mask, own);
  let found = 0;
  for (let row = 0; row < n; row++) if (!missed[row]) rows[found++] = row;
  return { rows: rows.subarray(0, found), missed };
}

/** Marks with a filter's bit the rows whose value is not wanted; a column at a time, which is quick. */
function mark(missed, values, mask, own) {
  for (let row = 0; row < values.length; row++) if (!mask[values[row]]) missed[row] |= own;
}

/** How many rows there are for each value of a field when all other filters hold. */
export function facets(board, missed, field) {
  const counts = new Uint32Array(board.names[field].length);
  const others = ~bit(field);
  const perTask = new Uint32Array(board.names.task.length);
  const { column, n, trackOf } = board;
  const byTask = field === "cwe" || field in OF_TASK;
  const values = byTask ? column.task : field === "track" ? column.run : column[field];
  const target = byTask ? perTask : field === "track" ? new Uint32Array(trackOf.length) : counts;
  for (let row = 0; row < n; row++) if (!(missed[row] & others)) target[values[row]] += 1;
  if (field === "track") trackOf.forEach((track, run) => (counts[track] += target[run]));
  if (byTask) {
    board.tasks.forEach((facts, task) => {
      for (const value of field === "cwe" ? facts[CWES] : [facts[OF_TASK[field]]]) counts[value] += perTask[task];
    });
  }
  return counts;
}
