// A trajectory as a line of time: what each step cost, and all until then.

import { canvas, text } from "./chart.js";
import { count, draw, make, money } from "./dom.js";
import { takeAway } from "./publish.js";

const [WIDTH, HIGH, TOP, LEFT] = [900, 90, 8, 4];
const KINDS = [["error", (step) => step.error], ["tool", (step) => step.tools.length], ["message", () => true]];

/** null where no step cost anything. here: gives the address of a part. */
export function timeline({ steps, total, usd }, here) {
  const most = Math.max(...steps.map((step) => step.usd ?? 0));
  if (!(most > 0)) return null;
  const wide = (WIDTH - 2 * LEFT) / Math.max(1, total);
  const x = (step) => LEFT + (step.index - 1) * wide;
  const bars = steps.map((step) => {
    const high = ((step.usd ?? 0) / most) * (HIGH - TOP - 4) + 2;
    const told = `Step ${step.index}, ${step.source || "?"}: ${step.usd === null ? "no cost" : `${money(step.usd)} USD`}, ${money(step.usd_so_far)} USD so far`;
    return draw("a", { href: here(`step-${step.index}`), "aria-label": told }, draw("title", {}, told),
      draw("rect", { x: x(step), y: HIGH - high, width: Math.max(1, wide - 1), height: high, class: `bar-${KINDS.find(([, fits]) => fits(step))[0]}` }));
  });
  const line = steps.map((step, n) => `${n ? "L" : "M"}${x(step) + wide / 2} ${HIGH - (step.usd_so_far / usd) * (HIGH - TOP)}`).join("");
  const drawing = canvas(WIDTH, HIGH + 18, `Cost of ${count(total)} steps, ${money(usd)} USD in all`, bars, draw("path", { d: line, class: "sum" }),
    text(LEFT, HIGH + 14, "step 1"), text(WIDTH - LEFT, HIGH + 14, `step ${count(total)}: ${money(usd)} USD`, { "text-anchor": "end" }));
  drawing.setAttribute("role", "group");
  const rows = () => steps.map((step) => [step.index, step.source, step.usd === null ? "–" : money(step.usd), money(step.usd_so_far)]);
  const note = "Bars: USD of each step, of its own scale; line: all until then.";
  return make("figure", { class: "timeline" }, drawing, make("p", { class: "note" }, note), takeAway("Cost by step", () => ({ title: "Cost by step", headings: ["step", "source", "USD", "USD so far"], rows: rows(), note }), drawing));
}
