// The vulnerable share of what works, by CWE of the task and by agent (SecureAgentBench, Figure 6).

import { grouping } from "./board.js";
import { canvas, columnsOf, figure, percentAxis, text } from "./chart.js";
import { draw, make, rate, short } from "./dom.js";
import { rateOf, tally } from "./entries.js";
import { HUES, mark, MARKS } from "./kinds.js";
import { Sums } from "./stats.js";

const WORKS = new Set(["vulnerable", "suspicious", "neutral", "good"]);
const CWES = 3;
const [MAX_CWES, MAX_AGENTS] = [14, 6];
const [LINE, LONG] = [12, 100];

/** null where the track has no label for the vulnerable, or nothing that works has a CWE. */
export function vulnerableFigure({ board, rows, width }, track) {
  const words = board.vocabularies[track];
  const numbers = (kinds) => words.labels.filter(({ kind }) => kinds.has(kind)).map(({ label }) => board.names.label.indexOf(label)).filter((n) => n > 0);
  const [bad, works] = [numbers(new Set(["vulnerable"])), numbers(WORKS)];
  if (!words.vulnerable.length) return null;
  const counted = tally(board, rows, ["agent"]);
  const groups = grouping(board, ["agent"]).groups.filter((group) => group.track === track);
  const found = perCwe(board, counted, groups, bad, works);
  if (!found.length) return null;
  const agents = busiest(found);
  const drawnAgents = agents.slice(0, MAX_AGENTS);
  const drawn = ofAgents(found, drawnAgents).slice(0, MAX_CWES);
  const said = `Vulnerable share of working attempts for ${found.length} CWEs and ${agents.length} agents; see the numbers`;
  const cut = drawn.length < found.length || drawnAgents.length < agents.length ? ` The ${drawn.length} CWEs and ${drawnAgents.length} agents with most such attempts are drawn, n is theirs; all are in the numbers.` : "";
  return figure("Vulnerable share by CWE and agent",
    `Of attempts that do what was asked, how many are vulnerable; lines are 95 % intervals.${cut}`,
    make("div", {}, key(drawnAgents), dotRows(width, drawn, drawnAgents, said)),
    ["CWE", ...agents.flatMap((agent) => [`${agent}: n`, agent])],
    () => found.map(({ cwe, agents: of }) => [cwe, ...agents.flatMap((agent) => (of.has(agent) ? [of.get(agent).n, rate(of.get(agent))] : [0, "–"]))]));
}

/** [{cwe, n, agents: Map(agent -> rate)}], most attempts first. */
function perCwe(board, counted, groups, bad, works) {
  const found = new Map();
  for (const group of groups) {
    for (const cell of group.cells) {
      const start = cell * counted.width;
      let hits = 0;
      let size = 0;
      for (let i = 0; i < works.length; i++) size += counted.labels[start + works[i]];
      if (!size) continue;
      for (let i = 0; i < bad.length; i++) hits += counted.labels[start + bad[i]];
      for (const cwe of board.tasks[counted.grouping.cellTask[cell]][CWES]) {
        if (!found.has(cwe)) found.set(cwe, new Map());
        const of = found.get(cwe);
        if (!of.has(group.agent)) of.set(group.agent, new Sums());
        of.get(group.agent).add(hits, size);
      }
    }
  }
  const made = [...found].map(([cwe, of]) => {
    const agents = new Map([...of].map(([agent, sums]) => [short(agent, LONG), rateOf(sums, 0)]));
    return { cwe: short(board.names.cwe[cwe], LONG), agents, n: [...agents.values()].reduce((sum, one) => sum + one.n, 0) };
  });
  return made.sort((a, b) => b.n - a.n);
}

/** The agents, those with most attempts first. */
function busiest(found) {
  const sizes = new Map();
  for (const { agents } of found) for (const [agent, { n }] of agents) sizes.set(agent, (sizes.get(agent) ?? 0) + n);
  return [...sizes].sort((a, b) => b[1] - a[1]).map(([agent]) => agent);
}

/** The CWEs that some of these agents met, with n of these agents only. */
function ofAgents(found, agents) {
  const n = (of) => agents.reduce((sum, agent) => sum + (of.get(agent)?.n ?? 0), 0);
  return found.map((one) => ({ ...one, n: n(one.agents) })).filter((one) => one.n).sort((a, b) => b.n - a.n);
}

function key(agents) {
  return make("ul", { class: "legend" }, agents.map((agent, i) =>
    make("li", {}, draw("svg", { width: 16, height: 14, "aria-hidden": "true" }, mark(i, 8, 7)), ` ${short(agent)}`)));
}

function dotRows(width, found, agents, said) {
  const { names, to, end } = columnsOf(width, Math.max(...found.map(({ cwe }) => Math.min(14, cwe.length))));
  const high = Math.max(24, agents.length * LINE + 8);
  const bottom = found.length * high;
  const rows = found.map(({ cwe, agents: of, n }, i) => draw("g", {},
    i % 2 === 0 && draw("rect", { x: 0, y: i * high, width, height: high, class: "stripe" }),
    text(names - 8, i * high + high / 2 + 4, short(cwe, 14), { "text-anchor": "end" }),
    agents.map((agent, a) => of.has(agent) && dot(of.get(agent), agent, a, to, i * high + (high - agents.length * LINE) / 2 + (a + 0.5) * LINE)),
    text(end, i * high + high / 2 + 4, `n ${n}`)));
  return canvas(width, bottom + 36, said, rows, percentAxis(to, 0, bottom, "vulnerable, % of attempts that work"));
}

function dot(found, agent, number, to, y) {
  const [low, high] = found.interval;
  const place = number % MARKS.length;
  return draw("g", {}, draw("title", {}, `${agent}: ${rate(found)}, n ${found.n}`),
    draw("line", { x1: to(low), x2: to(high), y1: y, y2: y, stroke: HUES[place], "stroke-width": 1.5 }), mark(place, to(found.rate), y, 4));
}
