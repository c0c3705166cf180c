// Two columns on the same tasks: which pairs differ, and how sure the difference is.

import { grouping, pairNumbers } from "./board.js";
import { numbersOf } from "./entries.js";
import { mcnemar, ratioInterval, signFlip } from "./stats.js";

/**
 * Pairs the labelled attempts of two groups by task and replicate; several of one task and replicate (of several runs)
 * pair up in order. `numbers`: labels that count as had.
 * The difference is of second less first, as `arena compare` has it.
 * { pairs: [{task, rowA, rowB, a, b}], both, only_a, only_b, neither, p, flip, difference: {value, interval, n}, unpaired: {a, b} }
 */
export function compared(board, rows, by, first, second, labels) {
  const { groupOf } = grouping(board, by);
  const { column } = board;
  const had = Uint8Array.from(board.names.label, () => 0);
  for (const number of numbersOf(board, labels)) had[number] = 1;
  const [pairOf, totals] = [pairNumbers(board), [0, 0]];
  const [waiting, next] = [new Int32Array(board.n).fill(-1), new Int32Array(board.n)];
  for (let i = rows.length - 1; i >= 0; i--) {
    const row = rows[i];
    if (groupOf[row] !== second) continue;
    totals[1] += 1;
    if (!column.label[row]) continue;
    next[row] = waiting[pairOf[row]];
    waiting[pairOf[row]] = row;
  }
  const pairs = [];
  for (const rowA of rows) {
    if (groupOf[rowA] !== first) continue;
    totals[0] += 1;
    const rowB = column.label[rowA] ? waiting[pairOf[rowA]] : -1;
    if (rowB < 0) continue;
    waiting[pairOf[rowA]] = next[rowB];
    pairs.push({ task: column.task[rowA], rowA, rowB, a: had[column.label[rowA]], b: had[column.label[rowB]] });
  }
  return told(pairs, totals);
}

function told(pairs, totals) {
  const perTask = new Map();
  const counts = { both: 0, only_a: 0, only_b: 0, neither: 0 };
  for (const pair of pairs) {
    counts[pair.a ? (pair.b ? "both" : "only_a") : pair.b ? "only_b" : "neither"] += 1;
    const task = perTask.get(pair.task) ?? { gained: 0, n: 0 };
    task.gained += pair.b - pair.a;
    task.n += 1;
    perTask.set(pair.task, task);
  }
  const tasks = [...perTask.values()];
  const n = pairs.length;
  return {
    pairs,
    ...counts,
    p: mcnemar(counts.only_a, counts.only_b),
    flip: signFlip(tasks.map((task) => task.gained)),
    difference: {
      value: n ? (counts.only_b - counts.only_a) / n : null,
      interval: ratioInterval(tasks.map((task) => task.gained), tasks.map((task) => task.n)),
      n,
    },
    tasks: tasks.length,
    unpaired: { a: totals[0] - n, b: totals[1] - n },
  };
}
