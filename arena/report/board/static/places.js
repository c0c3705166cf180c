// Names beside points, none over another name or another point.

import { text } from "./chart.js";
import { draw } from "./dom.js";

/** Pixels at most of a letter, which are narrower on average than digits, and of a line and between a name and its point. */
const [LETTER, DIGIT, LINE, GAP] = [6.6, 8, 13, 10];
/** Where a name may stand: to the right, left, above, below, then further away with a line to its point. */
const WAYS = [1, 2.2, 3.6, 5.2].flatMap((far) => [[1, 0], [-1, 0], [0, -1], [0, 1], [1, -1], [1, 1], [-1, -1], [-1, 1]].map(([x, y]) => [x, y, far]));

/** For each spot { lines, x, y } its name as drawn, or null where there is no room. spots: those named; all: points to keep free; boxes: what else no name may cover. */
export function placed(spots, all, area, boxes = []) {
  const taken = [...all.map(({ x, y }) => ({ x: x - 7, y: y - 7, wide: 14, high: 14 })), ...boxes];
  return spots.map(({ lines, x, y }) => {
    const [wide, high] = [Math.max(...lines.map((line) => line.length * (/^\d+$/.test(line) ? DIGIT : LETTER))), LINE * lines.length];
    for (const [dx, dy, far] of WAYS) {
      const away = GAP * far;
      const box = { wide, high, x: x + (dx > 0 ? away : dx < 0 ? -away - wide : -wide / 2), y: y - high / 2 + dy * (high / 2 + away) };
      if (box.x < area.left || box.x + wide > area.right || box.y < area.top || box.y + high > area.bottom) continue;
      if (taken.some((other) => box.x < other.x + other.wide && other.x < box.x + wide && box.y < other.y + other.high && other.y < box.y + high)) continue;
      taken.push(box);
      const near = [Math.max(box.x, Math.min(x, box.x + wide)), Math.max(box.y, Math.min(y, box.y + high))];
      return draw("g", {}, far > 1 && draw("line", { x1: x, y1: y, x2: near[0], y2: near[1], class: "leader" }),
        text(box.x, box.y + 10, lines.map((line, n) => draw("tspan", { x: box.x, dy: n ? LINE : 0 }, n < lines.length - 1 ? `${line} ` : line)), { class: "beside" }));
    }
    return null;
  });
}
