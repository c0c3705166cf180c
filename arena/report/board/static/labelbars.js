// Bars of labels: one for each entry of the leaderboard, each label a part of it.

import { canvas, columnsOf, percentAxis, ROW, segments, text } from "./chart.js";
import { draw, rate, short } from "./dom.js";

/** Shares of labels among labelled attempts as parts of a bar. */
const partsOf = (words, entry) => words.labels.map(({ label, kind }) => ({ label, kind, share: entry.labels[label].rate ?? 0 }));

/** A bar of labels for each entry, with its name before and its n behind. */
export function labelBars(width, words, entries, named, said) {
  const { names, to, most, end } = columnsOf(width);
  const bottom = entries.length * ROW;
  const bars = entries.map((entry, i) => draw("g", {},
    text(names - 8, i * ROW + 17, short(named(entry), most), { "text-anchor": "end" }),
    segments(partsOf(words, entry), to, i * ROW + 3, ROW - 6),
    text(end, i * ROW + 17, `n ${entry.good.n}`)));
  return canvas(width, bottom + 36, said, percentAxis(to, 0, bottom, "share of labelled attempts, %"), bars);
}

/** Rows of a table with each label's count, rate and interval. */
export function labelRows(words, entries, named) {
  return entries.map((entry) => [named(entry), entry.attempts, entry.unlabelled,
    ...words.labels.map(({ label }) => `${entry.labels[label].count} · ${rate(entry.labels[label])}`)]);
}

export const labelHeadings = (words, first) => [first, "attempts", "no label", ...words.labels.map(({ label }) => label)];
