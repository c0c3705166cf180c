// Bars of labels: one for each entry of the leaderboard, each label a part of it.

import { canvas, columnsOf, nameOf, percentAxis, ROW, segments, text, WIDE } from "./chart.js";
import { draw, rate } from "./dom.js";

/** Shares of labels among labelled attempts as parts of a bar. */
export const partsOf = (words, entry) => words.labels.map(({ label, kind }) => ({ label, kind, share: entry.labels[label].rate ?? 0 }));

/** Pixels of a name over its bar, of the free edge before bars under their names, and of a letter. */
const [NAME_LINE, EDGE, LETTER] = [16, 12, 7];

/** A bar of labels for each entry, with its name before (on a narrow page over) it and its n behind. */
export function labelBars(width, words, entries, said) {
  const isOver = width < WIDE;
  const longest = Math.max(0, ...entries.flatMap(({ lines }) => lines.map((line) => line.length)));
  const { names, to, end } = columnsOf(width, longest);
  const place = isOver ? (share) => EDGE + share * (end - 8 - EDGE) : to;
  const [above, high] = isOver ? [NAME_LINE, ROW + NAME_LINE - 4] : [0, ROW];
  const bottom = entries.length * high;
  const bars = entries.map((entry, i) => draw("g", {},
    isOver ? text(EDGE, i * high + 13, nameOver(entry, end - EDGE), { class: "group" }) : nameOf(entry, names - 8, i * high + ROW / 2),
    segments(partsOf(words, entry), place, i * high + above + 4, ROW - 8),
    text(end, i * high + above + 20, `n ${entry.good.n}`)));
  return canvas(width, bottom + 36, said, percentAxis(place, 0, bottom, "share of labelled attempts, %"), bars);
}

/** The whole name in one line where it fits, else the one that was cut for narrow pages. */
const nameOver = ({ lines, narrow }, wide) => (lines.join(" ").length * LETTER <= wide ? lines : narrow).join(" ");

/** Rows of a table with each label's count, rate and interval. */
export function labelRows(words, entries, named) {
  return entries.map((entry) => [named(entry), entry.attempts, entry.unlabelled,
    ...words.labels.map(({ label }) => `${entry.labels[label].count} · ${rate(entry.labels[label])}`)]);
}

export const labelHeadings = (words, first) => [first, "attempts", "no label", ...words.labels.map(({ label }) => label)];
