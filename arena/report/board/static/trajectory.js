// What an agent did, step by step, with what each step cost and all until then.

import { count, duration, make, money } from "./dom.js";
import { folded } from "./diff.js";
import { prose, telling } from "./unseen.js";

const GIST = 110;

/** trajectory: see `arena/report/details/steps.py`; flags: those that name a step are shown there. */
export function showTrajectory(trajectory, flags) {
  const others = trajectory.others.map((other) => folded(`Sub-agent ${other.id}: ${sums(other)}`, () => conversation(other, [])));
  return [...conversation(trajectory, flags), ...others, trajectory.more_others ? make("p", {}, `${count(trajectory.more_others)} more conversations are not shown.`) : null].filter(Boolean);
}

const sums = (one) => `${count(one.total)} steps, ${count(one.tokens)} tokens, ${money(one.usd)} USD`;

function conversation(one, flags) {
  const marked = new Map();
  for (const flag of flags) if (flag.step) marked.set(flag.step, [...(marked.get(flag.step) ?? []), flag]);
  const items = [];
  let before = 0;
  for (const step of one.steps) {
    if (step.index > before + 1) items.push(make("li", { class: "gap" }, `${count(step.index - before - 1)} steps are not shown.`));
    items.push(showStep(step, marked.get(step.index) ?? []));
    before = step.index;
  }
  const list = make("ol", { class: "steps" }, items);
  const all = (open) => () => list.querySelectorAll(":scope > li > details").forEach((holder) => (holder.open = open));
  const buttons = [["Open all steps", true], ["Close all steps", false]].map(([words, open]) => make("button", { type: "button", on: { click: all(open) } }, words));
  return [make("p", {}, sums(one), one.agent.name ? ` by ${one.agent.name} ${one.agent.version}` : "", "."), one.notes ? make("p", { class: "warning" }, telling(one.notes)) : null,
    make("div", { class: "bar" }, buttons), list].filter(Boolean);
}

function showStep(step, flags) {
  const cost = step.usd === null ? "" : `${money(step.usd)} USD`;
  const tokens = step.tokens === null ? "" : `${count(step.tokens)} tokens`;
  const spent = [tokens, cost, step.seconds === null ? "" : duration(step.seconds)].filter(Boolean).join(", ");
  const soFar = step.usd === null ? "" : ` (${money(step.usd_so_far)} USD so far)`;
  const warning = [flags.length ? `⚑ ${flags.map((flag) => flag.name).join(", ")} ` : "", step.error ? "⚠ error " : ""].join("");
  const title = make("span", { class: "step" }, make("b", {}, `${step.index} ${step.source || "?"}`), warning ? make("b", { class: "warning" }, ` ${warning}`) : "",
    make("span", { class: "gist" }, gist(step)), make("span", { class: "spent" }, `${spent}${soFar}`));
  return make("li", {}, folded(title, () => stepParts(step, flags)));
}

/** One line of what a step is about: the tools that it calls, else how its message begins. */
function gist(step) {
  const words = step.tools.map((tool) => `${tool.name} ${Object.values(Object(tool.arguments)).filter((value) => typeof value === "string").join(" ")}`).join("; ") || step.message.text;
  const line = words.slice(0, 4 * GIST).replace(/\s+/g, " ").trim();
  return line.length > GIST ? `${line.slice(0, GIST)}…` : line;
}

function stepParts(step, flags) {
  const when = [step.time, step.input === null ? "" : `${count(step.input)} tokens in (${count(step.cached ?? 0)} cached)`, step.output === null ? "" : `${count(step.output)} out`,
    step.usd === null ? "" : `${count(step.tokens_so_far)} tokens so far`].filter(Boolean).join(", ");
  return [
    when ? make("p", { class: "note" }, when) : null,
    ...flags.map((flag) => make("p", { class: "warning" }, `⚑ ${flag.name}: `, telling(flag.why || ""))),
    step.error ? make("p", { class: "warning" }, "⚠ ", telling(step.error)) : null,
    step.reasoning ? folded("Reasoning", () => [prose(step.reasoning.text)]) : null,
    step.message.text ? prose(step.message.text) : null,
    ...step.tools.map((tool) => showTool(tool)),
    ...step.results.map((result) => showResult(result)),
  ].filter(Boolean);
}

function showTool(tool) {
  const given = tool.arguments !== null && typeof tool.arguments === "object" ? Object.entries(tool.arguments) : [["arguments", tool.arguments]];
  const parts = given.flatMap(([name, value]) => [make("dt", {}, telling(name)), make("dd", {}, prose(typeof value === "string" ? value : JSON.stringify(value, null, 1) ?? ""))]);
  return make("div", { class: "tool" }, make("h5", {}, "Calls ", make("code", {}, telling(tool.name || "?"))), make("dl", { class: "arguments" }, parts));
}

function showResult(result) {
  const others = result.others.length ? make("p", { class: "note" }, `Sub-agent ${result.others.join(", ")}`) : null;
  return make("div", { class: "tool" }, make("h5", {}, "Result"), others, prose(result.text.text || "(empty)"));
}
