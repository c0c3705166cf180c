// How labels look: a colour by kind, and a pattern, so that colour is never alone.

import { draw } from "./dom.js";

/** Colours after Paul Tol's "vibrant" scheme, which colour-blind people can tell apart. */
const LOOKS = {
  nothing: ["#bbbbbb", "plain"],
  broken: ["#b07aa1", "cross"],
  incorrect: ["#ddaa33", "dots"],
  vulnerable: ["#cc3311", "stripes"],
  suspicious: ["#ee7733", "grid"],
  neutral: ["#33bbee", "plain"],
  good: ["#009988", "plain"],
};
const UNLABELLED = ["#ffffff", "outline"];
const PATTERNS = {
  plain: [],
  outline: ["M0 8L8 0", "M-2 2L2 -2", "M6 10L10 6"],
  stripes: ["M0 8L8 0M-2 2L2 -2M6 10L10 6"],
  cross: ["M0 4H8M4 0V8"],
  grid: ["M0 0L8 8M0 8L8 0"],
  dots: ["M1 2h2M5 6h2"],
};
export const MARKS = ["circle", "square", "triangle", "diamond", "cross", "ring"];
/** Of agents: none is a label's, so that a colour means one thing on a page; as SHADES of arena/report/svg.py. */
export const HUES = ["#3366cc", "#aa7733", "#7755cc", "#779933", "#cc44aa", "#667788"];

export const colour = (kind) => (LOOKS[kind] ?? UNLABELLED)[0];
/** The text on a colour: whichever of black and white can be read there. */
export const ink = (kind) => (kind === "vulnerable" ? "#fff" : "#111");

/** Pattern elements for all kinds, each `url(#kind-...)`; one set a page. */
export function patterns() {
  const made = Object.entries({ ...LOOKS, "": UNLABELLED }).map(([kind, [fill, pattern]]) =>
    draw("pattern", { id: `kind-${kind || "none"}`, width: 8, height: 8, patternUnits: "userSpaceOnUse" },
      draw("rect", { width: 8, height: 8, fill }),
      PATTERNS[pattern].map((d) => draw("path", { d, stroke: pattern === "outline" ? "#999999" : "#00000040", "stroke-width": 1.2, fill: "none" }))));
  return draw("svg", { width: 0, height: 0, class: "patterns", "aria-hidden": "true" }, draw("defs", {}, made));
}
export const fillOf = (kind) => `url(#kind-${kind || "none"})`;

/** A small piece of a kind's pattern, to stand before its label. */
export function sample(kind) {
  return draw("svg", { width: 16, height: 12, "aria-hidden": "true" }, draw("rect", { width: 16, height: 12, fill: fillOf(kind) }));
}

/** The kind of each label of a board by the label's number, for one track. */
export function kindsOf(board, track) {
  return (board.kinds[track] ??= numbered(board, track));
}

function numbered(board, track) {
  const kinds = new Map(board.vocabularies[track].labels.map(({ label, kind }) => [label, kind]));
  return board.names.label.map((label) => kinds.get(label) ?? "");
}

/** A mark of a scatter or dot plot, round a point; shape and hue change together. */
export function mark(number, x, y, r = 5, fill = HUES[number % HUES.length]) {
  const shape = MARKS[number % MARKS.length];
  const stroke = { stroke: "var(--page)", "stroke-width": 1 };
  if (shape === "circle") return draw("circle", { cx: x, cy: y, r, fill, ...stroke });
  if (shape === "ring") return draw("circle", { cx: x, cy: y, r: r - 1, fill: "none", stroke: fill, "stroke-width": 2.5 });
  const paths = {
    square: `M${x - r} ${y - r}h${2 * r}v${2 * r}h${-2 * r}z`,
    triangle: `M${x} ${y - r}L${x + r} ${y + r}H${x - r}z`,
    diamond: `M${x} ${y - r - 1}L${x + r + 1} ${y}L${x} ${y + r + 1}L${x - r - 1} ${y}z`,
    cross: `M${x - r} ${y - r}L${x + r} ${y + r}M${x - r} ${y + r}L${x + r} ${y - r}`,
  };
  return draw("path", shape === "cross" ? { d: paths.cross, stroke: fill, "stroke-width": 2.5, fill: "none" } : { d: paths[shape], fill, ...stroke });
}
