// Rate of good labels against cost, with the Pareto front.

import { columnName } from "./board.js";
import { canvas, figure, text } from "./chart.js";
import { draw, money, rate, short } from "./dom.js";
import { frontWord } from "./entries.js";
import { mark } from "./kinds.js";

const HEIGHT = 360;
const [LEFT, RIGHT, TOP, BOTTOM] = [52, 16, 12, 44];
const NAMED = 14;

/** null where no entry has a label. Axes: USD for each labelled attempt, and the rate in per cent with its interval. */
export function scatterFigure({ width }, words, entries) {
  const points = entries.filter((entry) => entry.good.rate !== null);
  if (!points.length) return null;
  const most = niceTop(Math.max(...points.map((entry) => entry.usd_per_attempt)));
  const x = (usd) => LEFT + (usd / most) * (width - LEFT - RIGHT);
  const top = Math.min(1, niceTop(Math.max(...points.map((entry) => entry.good.interval[1]))));
  const y = (share) => TOP + (1 - share / top) * (HEIGHT - TOP - BOTTOM);
  const front = points.filter((entry) => entry.pareto).sort((a, b) => a.usd_per_attempt - b.usd_per_attempt);
  const good = words.good.join(", ");
  const said = `${good} rate against USD for each labelled attempt; on the Pareto front: ${front.map(columnName).join("; ") || "none"}`;
  const rows = () => points.map((entry) => [columnName(entry), entry.good.n, rate(entry.good), money(entry.usd_per_attempt), frontWord(entry)]);
  const drawing = canvas(width, HEIGHT, said, axes(width, [most, top], x, y, good), frontLine(front, x, y), dots(points, x, y, width));
  return figure(`${good} against cost`, "Upper left is better. The line joins the Pareto front: nothing is as good for less; rings are calibration, and not on it. Whiskers are 95 % intervals.",
    drawing, ["column", "n", good, "USD per labelled attempt", "on the front"], rows);
}

/** The least of 1, 2, 5 times a power of ten that is not below `most`. */
function niceTop(most) {
  if (!(most > 0)) return 1;
  const power = 10 ** Math.floor(Math.log10(most));
  return power * [1, 2, 5, 10].find((step) => step * power >= most * 0.9999);
}

function axes(width, [most, top], x, y, good) {
  const shares = [0, 0.25, 0.5, 0.75, 1].map((part) => part * top).flatMap((share) => [
    draw("line", { x1: LEFT, x2: width - RIGHT, y1: y(share), y2: y(share), class: "grid" }),
    text(LEFT - 6, y(share) + 4, Number((100 * share).toPrecision(3)).toString(), { "text-anchor": "end" }),
  ]);
  const costs = [0, 0.25, 0.5, 0.75, 1].map((part) => text(x(part * most), HEIGHT - BOTTOM + 16, Number((part * most).toPrecision(3)).toString(), { "text-anchor": "middle" }));
  return [...shares, ...costs,
    text((LEFT + width - RIGHT) / 2, HEIGHT - 8, "USD for each labelled attempt", { "text-anchor": "middle", class: "axis" }),
    text(14, (TOP + HEIGHT - BOTTOM) / 2, `${good}, % of labelled`, { "text-anchor": "middle", class: "axis", transform: `rotate(-90 14 ${(TOP + HEIGHT - BOTTOM) / 2})` })];
}

function frontLine(front, x, y) {
  const points = front.map((entry) => `${x(entry.usd_per_attempt)},${y(entry.good.rate)}`).join(" ");
  return draw("polyline", { points, class: "front" });
}

/** Diamonds are on the front, rings are calibration. */
const shapeOf = (entry) => (entry.pareto ? 3 : entry.calibration ? 5 : 0);

function dots(points, x, y, width) {
  const taken = [];
  return points.map((entry, i) => {
    const [cx, cy] = [x(entry.usd_per_attempt), y(entry.good.rate)];
    const [low, high] = entry.good.interval;
    const named = i < NAMED || entry.pareto;
    return draw("g", {}, draw("title", {}, `${columnName(entry)}: ${rate(entry.good)}, n ${entry.good.n}, ${money(entry.usd_per_attempt)} USD`),
      draw("line", { x1: cx, x2: cx, y1: y(low), y2: y(high), class: "whisker" }),
      mark(shapeOf(entry), cx, cy, 5, entry.pareto ? "var(--accent)" : "var(--dim)"),
      named && placed(taken, columnName(entry), cx, cy, width));
  });
}

/** A name beside its point, where no other name stands yet; none where all places are taken. */
function placed(taken, name, cx, cy, width) {
  const said = short(name, 28);
  const wide = 6.4 * said.length;
  const left = cx + 9 + wide > width - RIGHT;
  for (const shift of [0, -13, 13]) {
    const box = { x: left ? cx - 9 - wide : cx + 9, y: cy + 4 + shift };
    if (box.x < LEFT || box.y < TOP || box.y > HEIGHT - BOTTOM) continue;
    if (taken.some((other) => Math.abs(other.y - box.y) < 13 && box.x < other.x + other.wide && other.x < box.x + wide)) continue;
    taken.push({ ...box, wide });
    return text(box.x, box.y, said, { class: "beside" });
  }
  return null;
}
