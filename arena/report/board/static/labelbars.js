// Bars of labels: one for each entry of the leaderboard, each label a part of it.

import { canvas, columnsOf, nameOf, percentAxis, ROW, segments, text } from "./chart.js";
import { draw, rate } from "./dom.js";

/** Shares of labels among labelled attempts as parts of a bar. */
export const partsOf = (words, entry) => words.labels.map(({ label, kind }) => ({ label, kind, share: entry.labels[label].rate ?? 0 }));

/** A bar of labels for each entry, with its name before and its n behind. */
export function labelBars(width, words, entries, said) {
  const { names, to, end } = columnsOf(width);
  const bottom = entries.length * ROW;
  const bars = entries.map((entry, i) => draw("g", {},
    nameOf(entry, names - 8, i * ROW + ROW / 2, width),
    segments(partsOf(words, entry), to, i * ROW + 4, ROW - 8),
    text(end, i * ROW + 20, `n ${entry.good.n}`)));
  return canvas(width, bottom + 36, said, percentAxis(to, 0, bottom, "share of labelled attempts, %"), bars);
}

/** Rows of a table with each label's count, rate and interval. */
export function labelRows(words, entries, named) {
  return entries.map((entry) => [named(entry), entry.attempts, entry.unlabelled,
    ...words.labels.map(({ label }) => `${entry.labels[label].count} · ${rate(entry.labels[label])}`)]);
}

export const labelHeadings = (words, first) => [first, "attempts", "no label", ...words.labels.map(({ label }) => label)];
