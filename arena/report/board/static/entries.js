// The leaderboard's numbers from columns: what arena/report/leaderboard.py computes from rows.

import { grouping } from "./board.js";
import { Counter, passRates, Sums } from "./stats.js";

/**
 * Counts in one pass: labels for each cell (a task of a group), and sums for each group.
 * { grouping, labels: Uint32Array(cells x labels), width, n, usd, usdLabelled, tokens, seconds, flagged, compared, scoreSum, scoreN }
 */
export function tally(board, rows, by) {
  const groups = grouping(board, by);
  const { column, flagged, compared } = board;
  const { groupOf, cellOf } = groups;
  const [width, cells, size] = [board.names.label.length, groups.cellGroup.length, groups.groups.length];
  const found = { grouping: groups, width, labels: new Uint32Array(cells * width), scoreSum: new Float64Array(cells), scoreN: new Uint32Array(cells) };
  for (const name of ["n", "usd", "usdLabelled", "tokens", "seconds", "calls", "flagged", "compared"]) found[name] = new Float64Array(size);
  for (let i = 0; i < rows.length; i++) {
    const row = rows[i];
    const group = groupOf[row];
    const cell = cellOf[row];
    const label = column.label[row];
    found.labels[cell * width + label] += 1;
    found.n[group] += 1;
    found.usd[group] += column.usd[row];
    if (label) found.usdLabelled[group] += column.usd[row];
    found.tokens[group] += column.tokens[row];
    found.seconds[group] += column.seconds[row];
    found.calls[group] += column.calls[row];
    found.flagged[group] += flagged[row];
    found.compared[group] += compared[row];
    const score = column.score[row];
    if (score === score) {
      found.scoreSum[cell] += score;
      found.scoreN[cell] += 1;
    }
  }
  return found;
}

/** A rate out of sums over tasks, with its interval, and the bounds that unlabelled attempts could move it to. */
export function rateOf(sums, all) {
  const { x, n } = sums;
  return { count: x, n, rate: n ? x / n : null, interval: sums.interval(), bounds: all ? [x / all, (x + all - n) / all] : null };
}

/** The numbers that labels have in the columns; labels that no attempt has are left out. */
export const numbersOf = (board, labels) => labels.map((label) => board.names.label.indexOf(label)).filter((n) => n > 0);

/** What is summed for each label, for the good and for the vulnerable ones, over the cells of a group; in one pass. */
function summed(board, counted, group) {
  const { width, labels } = counted;
  const words = board.vocabularies[group.track];
  const [good, bad] = [words.good, words.vulnerable].map((of) => numbersOf(board, of));
  const [ofLabel, passes] = [Array.from({ length: width }, () => new Sums()), new Counter()];
  const [ofGood, ofBad, never, scores] = [new Sums(), new Sums(), new Sums(), new Sums()];
  let tasks = 0;
  for (const cell of group.cells) {
    const start = cell * width;
    let n = 0;
    for (let label = 1; label < width; label++) n += labels[start + label];
    if (n || labels[start]) tasks += 1;
    if (counted.scoreN[cell]) scores.add(counted.scoreSum[cell], counted.scoreN[cell]);
    if (!n) continue;
    never.add(0, n);
    for (let label = 1; label < width; label++) if (labels[start + label]) ofLabel[label].hit(labels[start + label], n);
    let x = 0;
    let y = 0;
    for (let i = 0; i < good.length; i++) x += labels[start + good[i]];
    for (let i = 0; i < bad.length; i++) y += labels[start + bad[i]];
    ofGood.hit(x, n);
    ofBad.hit(y, n);
    passes.add(n, x);
  }
  for (const sums of [...ofLabel, ofGood, ofBad]) sums.over(never);
  return { ofLabel, ofGood, ofBad, never, passes, scores, tasks };
}

function entry(board, counted, group, number) {
  const words = board.vocabularies[group.track];
  const n = counted.n[number];
  const found = summed(board, counted, group);
  const good = rateOf(found.ofGood, n);
  const ofLabel = (label) => found.ofLabel[board.names.label.indexOf(label)] ?? found.never;
  return {
    ...group,
    number,
    attempts: n,
    unlabelled: n - good.n,
    tasks: found.tasks,
    labels: Object.fromEntries(words.labels.map(({ label }) => [label, rateOf(ofLabel(label), n)])),
    good,
    vulnerable: rateOf(found.ofBad, n),
    score: found.scores.mean(),
    usd: counted.usd[number],
    usd_per_attempt: good.n ? counted.usdLabelled[number] / good.n : null,
    usd_per_good: good.count ? counted.usd[number] / good.count : null,
    tokens: counted.tokens[number],
    seconds: counted.seconds[number],
    calls: counted.calls[number],
    flagged: counted.flagged[number],
    pass_at: passRates(found.passes),
    calibration: !counted.compared[number],
    pareto: false,
  };
}

/** Entries for all groups that have rows; on the front of its track where none is as good for less, calibration left out. */
export function entriesOf(board, counted) {
  const made = [];
  counted.grouping.groups.forEach((group, number) => {
    if (counted.n[number]) made.push(entry(board, counted, group, number));
  });
  const front = frontOf(made, (one) => one.usd_per_attempt);
  for (const one of front) one.pareto = true;
  return made;
}

/** The entries that no other of their track beats in the good rate and what `cost` gives; calibration is left out. */
export function frontOf(entries, cost) {
  const ranked = entries.filter((one) => one.good.rate !== null && !one.calibration);
  return ranked.filter((one) => !ranked.some((other) => beats(other, one, cost)));
}

/** The first of ranked entries that has not much fewer labels than others: two lucky attempts are no winner. */
export function bestOf(ranked) {
  const [first] = ranked;
  if (!first) return undefined;
  const most = Math.max(...ranked.filter((entry) => entry.track === first.track).map((entry) => entry.good.n));
  return ranked.find((entry) => entry.good.n >= most / 2);
}

/** Whether an entry is on the front, in a word. */
export const frontWord = (entry) => (entry.calibration ? "calibration" : entry.pareto ? "yes" : "no");

function beats(other, one, cost) {
  if (other.track !== one.track) return false;
  const [better, cheaper] = [other.good.rate - one.good.rate, cost(one) - cost(other)];
  return better >= 0 && cheaper >= 0 && (better > 0 || cheaper > 0);
}
