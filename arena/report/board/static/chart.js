// What the figures share: frame, axis of per cent, bars of labels, and the same numbers as a table.

import { draw, make, percent, short, table } from "./dom.js";
import { takeAway } from "./publish.js";
import { fillOf, ink, sample } from "./kinds.js";

export const ROW = 32;
export const MOST = 30;
const LETTER = 7;
/** Pixels from which on names stand before their bars, and not over them or cut. */
export const WIDE = 720;
/** Pixels of the longest line of a name, of 38 characters; of the shortest. */
const [NAMES, LEAST_NAMES] = [264, 76];

/** A figure with its title, a sentence on what is drawn, the drawing, and its numbers to be opened as a table; rows: makes them. */
export function figure(title, note, drawing, headings, rows) {
  const numbers = make("details", {}, make("summary", {}, `Numbers: ${title}`));
  numbers.addEventListener("toggle", () => {
    if (numbers.open && numbers.children.length === 1) numbers.append(table(title, headings, rows()));
  });
  const drawn = drawing.matches("svg") ? drawing : drawing.querySelector("svg.drawing");
  return make("figure", {}, make("figcaption", {}, make("h3", {}, title), make("p", { class: "note" }, note)), drawing,
    takeAway(title, () => ({ title, headings, rows: rows(), note }), drawn), numbers);
}

/** An SVG drawing of this size in pixels, which says to those who do not see it what it shows. */
export function canvas(width, height, said, ...children) {
  return draw("svg", { width, height, viewBox: `0 0 ${width} ${height}`, class: "drawing", role: "img", "aria-label": said }, ...children);
}

/** A group's name before its row, in one or two lines round the height y. */
export function nameOf({ lines }, x, y) {
  return draw("text", { y: y + 4 - 6.5 * (lines.length - 1), "text-anchor": "end" }, lines.map((part, n) => draw("tspan", { x, dy: n ? 13 : 0 }, part)));
}

export const text = (x, y, content, more = {}) => draw("text", { x, y, ...more }, content);

/** Grid lines and ticks at 0 to 100 % along x; `to` maps a share to pixels. */
export function percentAxis(to, top, bottom, title) {
  const ticks = [0, 0.25, 0.5, 0.75, 1].map((share) => [
    draw("line", { x1: to(share), x2: to(share), y1: top, y2: bottom, class: "grid" }),
    text(to(share), bottom + 14, `${100 * share}`, { "text-anchor": "middle" }),
  ]);
  return [...ticks.flat(), text(to(0.5), bottom + 30, title, { "text-anchor": "middle", class: "axis" })];
}

/** How wide names, bars and counts are in a drawing of this width. longest: characters of the longest line of a name. */
export function columnsOf(width, longest = Infinity) {
  const names = Math.min(width < WIDE ? Math.max(134, 0.32 * width) : NAMES, Math.max(LEAST_NAMES, longest * LETTER + 14));
  const counts = 76;
  const bars = width - names - counts;
  return { names, bars, most: Math.floor((names - 14) / LETTER), to: (share) => names + share * bars, end: width - counts + 8 };
}

/** The segments of one bar: label, share, kind; the label stands in the segment where it fits. */
export function segments(parts, to, y, height) {
  let from = 0;
  return parts.filter((part) => part.share > 0).map((part) => {
    const [x, wide] = [to(from), to(part.share) - to(0)];
    from += part.share;
    const fits = wide > LETTER * part.label.length + 8;
    return draw("g", {},
      draw("rect", { x, y, width: Math.max(0.5, wide - 0.5), height, fill: fillOf(part.kind) }, draw("title", {}, `${part.label}: ${percent(part.share)}`)),
      fits && text(x + wide / 2, y + height / 2 + 4, part.label, { "text-anchor": "middle", fill: ink(part.kind), class: "inside", "data-kind": part.kind }));
  });
}

/** Which number stands for which column, where names have no room. marks: drawn before a name, or null. */
export function numbered(names) {
  return make("ol", { class: "numbered" }, names.map((name, n) => make("li", {}, make("b", {}, String(n + 1)), make("span", {}, short(name, 160)))));
}

/** A legend of labels: a sample of the pattern, the label, and what it means. */
export function legend(words) {
  return make("ul", { class: "legend" }, words.labels.map(({ label, meaning, kind }) => make("li", {}, sample(kind), make("b", {}, label), ` ${meaning}`)));
}

/** Horizontal bars of counts with their names. rows: [name, count, more] */
export function countBars(width, said, rows, title) {
  const { names, bars, most, end } = columnsOf(width, Math.max(...rows.map(([name]) => name.length)));
  const top = Math.max(1, ...rows.map(([, n]) => n));
  const height = rows.length * ROW;
  return canvas(width, height + 24, said, rows.map(([name, n], i) => draw("g", {},
    text(names - 8, i * ROW + 20, short(name, most), { "text-anchor": "end" }),
    draw("rect", { x: names, y: i * ROW + 4, width: (n / top) * bars, height: ROW - 8, class: "plain-bar" }),
    text(end, i * ROW + 20, String(n)))),
  text(names + bars / 2, height + 16, title, { "text-anchor": "middle", class: "axis" }));
}
