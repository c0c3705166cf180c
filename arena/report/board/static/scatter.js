// Rate of good labels against what an attempt takes, on a log scale, with the steps of the Pareto front.

import { columnName } from "./board.js";
import { canvas, figure, text, WIDE } from "./chart.js";
import { count, draw, duration, make, money, rate } from "./dom.js";
import { frontOf } from "./entries.js";
import { mark } from "./kinds.js";
import { placed } from "./places.js";

const HEIGHT = 400;
const [LEFT, RIGHT, TOP, BOTTOM] = [52, 20, 14, 44];
const ZERO = 34;
/** Points up to which names stand beside them; of more, numbers do, and the names below. */
const NAMED = 6;
const [NAME_WIDTH, NAME_LINE, NAME_LETTER] = [350, 16, 6.6];
/** What can stand on the x axis: its words, its value of an entry, and the value as text. */
export const AXES = {
  usd: ["USD for each labelled attempt", (entry) => entry.usd_per_attempt, (value) => `${money(value)} USD`],
  seconds: ["time for each attempt, s", (entry) => entry.seconds / entry.attempts, duration],
  tokens: ["tokens for each attempt", (entry) => entry.tokens / entry.attempts, (value) => `${count(Math.round(value))} tokens`],
  calls: ["calls of the model for each attempt", (entry) => entry.calls / entry.attempts, (value) => `${value.toFixed(1)} calls`],
};

/** null where no entry was ever good. context: { width, state, go, link } */
export function scatterFigure(context, words, entries) {
  const every = entries.filter((entry) => entry.good.rate > 0);
  const measured = every.filter((entry) => !entry.calibration);
  const points = measured.length ? measured : every;
  if (!points.length) return null;
  const [title, cost, said] = AXES[context.state.x] ?? AXES.usd;
  const { width } = context;
  const x = logarithmic(points.map(cost), width);
  const [top, parts] = niceTop(Math.max(...points.map((entry) => entry.good.interval[1])));
  const y = (share) => TOP + (1 - share / top) * (HEIGHT - TOP - BOTTOM);
  const front = frontOf(points, cost).sort((a, b) => cost(a) - cost(b));
  const good = words.good.join(", ");
  const label = `${good} rate against ${title}; on the Pareto front: ${front.map(columnName).join("; ") || "none"}`;
  const rows = () => points.map((entry) => [columnName(entry), entry.good.n, rate(entry.good), said(cost(entry)), word(entry, front)]);
  const names = points.length > NAMED ? namesBelow(points, width) : { height: 0, lines: [] };
  const drawing = canvas(width, HEIGHT + names.height, label, axes(width, x, [top, parts], y, title, good), steps(front, cost, x, y, width), dots(context, points, front, cost, said, x, y), names.lines);
  drawing.setAttribute("role", "group"); // its points are links
  const absent = entries.filter((entry) => !points.includes(entry));
  const made = figure(`${good} against cost`, `Upper left is better. The steps are the Pareto front: nothing is as good for less. Whiskers are 95 % intervals. A point leads to its attempts.${points.length > NAMED ? " Numbers stand for the columns below." : ""}${notDrawn(absent, good)}`,
    drawing, ["column", "n", good, title, "on the front"], rows);
  made.firstChild.append(chooser(context));
  return made;
}

/** Who is not drawn and why; names where they are few. */
function notDrawn(absent, good) {
  const parts = [["calibration", absent.filter((entry) => entry.calibration)], [`never ${good}`, absent.filter((entry) => !entry.calibration)]];
  const named = (some) => (some.length > NAMED ? count(some.length) : some.map(columnName).join("; "));
  const said = parts.filter(([, some]) => some.length).map(([why, some]) => `${named(some)} (${why})`);
  return said.length ? ` Not drawn: ${said.join("; ")}.` : "";
}

/** A column's name in one line; the one for narrow pages where the other has no room. */
const shortest = ({ lines, narrow }, width) => (lines.join(" ").length * NAME_LETTER > width - LEFT ? narrow : lines).join(" ");

/** Which number stands for which column, below the axis in as many columns as there is room for. */
function namesBelow(points, width) {
  const columns = Math.max(1, Math.floor((width - LEFT) / NAME_WIDTH));
  const rows = Math.ceil(points.length / columns);
  const left = columns > 1 ? LEFT + 22 : 22;
  const place = (n) => [left + Math.floor(n / rows) * NAME_WIDTH, HEIGHT + 18 + (n % rows) * NAME_LINE];
  const lines = points.flatMap((entry, n) => {
    const [x, y] = place(n);
    return [text(x - 6, y, String(n + 1), { "text-anchor": "end", "font-weight": 600 }), text(x, y, shortest(entry, width))];
  });
  return { height: rows * NAME_LINE + 14, lines };
}

const word = (entry, front) => (entry.calibration ? "calibration" : front.includes(entry) ? "yes" : "no");

function chooser({ state, go }) {
  return make("label", {}, "Across: ", make("select", { "data-key": "scatter-x", on: { change: ({ target }) => go({ x: target.value }) } },
    Object.entries(AXES).map(([value, [words]]) => make("option", { value, selected: value === state.x }, words))));
}

/** Values to pixels, powers of ten equally far apart; what takes nothing stands left of them. { at, ticks } */
function logarithmic(values, width) {
  const some = values.filter((value) => value > 0);
  const left = LEFT + (some.length < values.length ? ZERO : 0);
  if (!some.length) return { at: () => left, ticks: [0], plain: true };
  const [low, high] = [Math.log10(Math.min(...some)) - 0.1, Math.log10(Math.max(...some)) + 0.1];
  const at = (value) => (value > 0 ? left + ((Math.log10(value) - low) / (high - low)) * (width - left - RIGHT) : LEFT + 8);
  const powers = Array.from({ length: Math.floor(high) - Math.floor(low) + 1 }, (_, n) => 10 ** (Math.floor(low) + n));
  const ticks = powers.flatMap((power) => (high - low < 1 ? [1, 2, 3, 4, 5, 6, 7, 8, 9] : high - low < 2.5 ? [1, 2, 5] : [1]).map((step) => step * power)).filter((value) => Math.log10(value) >= low && Math.log10(value) <= high);
  return { at, ticks: left > LEFT ? [0, ...ticks] : ticks };
}

/** [top, parts]: the least of 1, 2, 4, 6, 8 times a power of ten that is not below `most`, 1 at most, and its round steps. */
function niceTop(most) {
  const power = 10 ** Math.floor(Math.log10(most));
  const [top, parts] = [[1, 4], [2, 4], [4, 4], [6, 6], [8, 4], [10, 4]].find(([step]) => step * power >= most * 0.9999);
  return [Math.min(1, top * power), parts];
}

function axes(width, { at, ticks, plain }, [top, parts], y, title, good) {
  const shares = Array.from({ length: parts + 1 }, (_, n) => (n / parts) * top).flatMap((share) => [
    draw("line", { x1: LEFT, x2: width - RIGHT, y1: y(share), y2: y(share), class: "grid" }),
    text(LEFT - 6, y(share) + 4, Number((100 * share).toPrecision(3)).toString(), { "text-anchor": "end" }),
  ]);
  const costs = ticks.flatMap((value) => [
    draw("line", { x1: at(value), x2: at(value), y1: HEIGHT - BOTTOM, y2: HEIGHT - BOTTOM + 4, class: "grid" }),
    text(at(value), HEIGHT - BOTTOM + 16, count(Number(value.toPrecision(3))), { "text-anchor": "middle" }),
  ]);
  return [...shares, ...costs,
    text((LEFT + width - RIGHT) / 2, HEIGHT - 8, plain ? `${title}: none took any` : `${title} (log scale)`, { "text-anchor": "middle", class: "axis" }),
    text(14, (TOP + HEIGHT - BOTTOM) / 2, `${good}, % of labelled`, { "text-anchor": "middle", class: "axis", transform: `rotate(-90 14 ${(TOP + HEIGHT - BOTTOM) / 2})` })];
}

/** The best rate that can be had for each price: it stays until the next of the front, and then jumps. */
function steps(front, cost, { at }, y, width) {
  if (!front.length) return null;
  const path = front.map((entry, n) => `${n ? "H" : "M"}${at(cost(entry))}${n ? "V" : " "}${y(entry.good.rate)}`).join("");
  return draw("path", { d: `${path}H${width - RIGHT}`, class: "front" });
}

/** Diamonds are on the front; rings are calibration, which is drawn where nothing else is. */
function dots({ width, link, state }, points, front, cost, said, { at }, y) {
  const spots = points.map((entry) => ({ entry, x: at(cost(entry)), y: y(entry.good.rate) }));
  const many = spots.length > NAMED;
  const [bends, area] = [front.map((entry) => [at(cost(entry)), y(entry.good.rate)]), { left: LEFT, right: width - 4, top: TOP, bottom: HEIGHT - BOTTOM }];
  const names = placed(spots.map((spot, n) => ({ ...spot, lines: many ? [String(n + 1)] : width < WIDE ? spot.entry.narrow : spot.entry.lines })), spots, area, stepBoxes(bends, width - RIGHT));
  return spots.map(({ entry, x, y: high }, n) => {
    const told = `${many ? n + 1 : entry.narrow.join(" ")}, ${columnName(entry)}: ${rate(entry.good)}, n ${entry.good.n}, ${said(cost(entry))}`;
    const filters = { ...state.filters, ...Object.fromEntries(["agent", "model", "prompt"].map((field) => [field, [entry[field]]])) };
    const [low, top] = entry.good.interval.map(y);
    const shape = entry.calibration ? 5 : front.includes(entry) ? 3 : 0;
    return draw("a", { href: link({ tab: "attempts", filters }), "aria-label": told, class: "point", "data-key": `point-${columnName(entry)}` }, draw("title", {}, told),
      draw("line", { x1: x, x2: x, y1: low, y2: top, class: "whisker" }),
      mark(shape, x, high, 6, shape === 3 ? "var(--accent)" : "var(--dim)"), names[n]);
  });
}

/** What the steps of the front cover, so that no name stands on them. bends: [x, y] from left to right; end: of the last step */
function stepBoxes(bends, end) {
  return bends.flatMap(([x, y], n) => {
    const [right, up] = bends[n + 1] ?? [end, y];
    return [{ x, y: y - 1, wide: right - x, high: 2 }, { x: right - 1, y: Math.min(y, up), wide: 2, high: Math.abs(y - up) }];
  });
}
