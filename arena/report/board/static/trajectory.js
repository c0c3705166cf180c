// What an agent did, step by step, with what each step cost and all until then.

import { count, duration, make, money } from "./dom.js";
import { folded } from "./diff.js";
import { partId } from "./marks.js";
import { loadCall } from "./sources.js";
import { timeline } from "./timeline.js";
import { printed, prose, telling } from "./unseen.js";

const GIST = 110;

/** What steps can be chosen by: the words for it, and whether a step has it. */
const KINDS = {
  "": ["all steps", () => true], message: ["with a message", (step) => step.message.text], reasoning: ["with reasoning", (step) => step.reasoning],
  tool: ["that call tools", (step) => step.tools.length], result: ["with results", (step) => step.results.length], paid: ["that cost money", (step) => step.usd > 0], error: ["with an error", (step) => step.error],
};

/** detail: its trajectory (see `arena/report/details/steps.py`) and flags: those that name a step are shown there. here: gives the address of a part. */
export function showTrajectory(detail, here) {
  const { trajectory } = detail;
  const others = trajectory.others.map((other) => folded(`Sub-agent ${other.id}: ${sums(other)}`, () => conversation(other, { flags: [] }, null)));
  return [timeline(trajectory, here), ...conversation(trajectory, detail, here), ...others, trajectory.more_others ? make("p", {}, `${count(trajectory.more_others)} more conversations are not shown.`) : null].filter(Boolean);
}

const sums = (one) => `${count(one.total)} steps, ${count(one.tokens)} tokens, ${money(one.usd)} USD`;

function conversation(one, { flags, attempt, download }, here) {
  const marked = new Map();
  for (const flag of flags) if (flag.step) marked.set(flag.step, [...(marked.get(flag.step) ?? []), flag]);
  const items = [];
  let before = 0;
  for (const step of one.steps) {
    if (step.index > before + 1) items.push(make("li", { class: "gap" }, `${count(step.index - before - 1)} steps are not shown.`));
    items.push(showStep(step, marked.get(step.index) ?? [], here, download ? attempt : null));
    before = step.index;
  }
  const list = make("ol", { class: "steps" }, items);
  const all = (open) => () => list.querySelectorAll(":scope > li > details").forEach((holder) => (holder.open = open));
  const buttons = [["Open all steps", true], ["Close all steps", false]].map(([words, open]) => make("button", { type: "button", on: { click: all(open) } }, words));
  return [make("p", {}, sums(one), one.agent.name ? ` by ${one.agent.name} ${one.agent.version}` : "", "."), one.notes ? make("p", { class: "warning" }, telling(one.notes)) : null,
    make("div", { class: "bar" }, buttons, here && chooser(one.steps, list)), list].filter(Boolean);
}

/** Leaves the steps of one kind that hold the words. */
function chooser(steps, list) {
  const said = make("span", { role: "status" });
  const kinds = make("select", { "aria-label": "Steps", on: { change: () => choose() } }, Object.entries(KINDS).map(([value, [words]]) => make("option", { value }, words)));
  const asked = make("input", { type: "search", "aria-label": "Search these steps", placeholder: "Search these steps", on: { input: () => choose() } });
  const choose = () => {
    const [words, fits] = [asked.value.toLowerCase(), KINDS[kinds.value][1]];
    const kept = new Set(steps.filter((step) => fits(step) && (!words || textOf(step).includes(words))).map((step) => partId(`step-${step.index}`)));
    for (const item of list.children) item.hidden = !kept.has(item.id);
    said.textContent = `${count(kept.size)} of ${count(steps.length)} steps`;
  };
  return [kinds, asked, said];
}

const textOf = (step) => JSON.stringify([step.message, step.reasoning, step.tools, step.results, step.error]).toLowerCase();

function showStep(step, flags, here, attempt) {
  const cost = step.usd === null ? "" : `${money(step.usd)} USD`;
  const tokens = step.tokens === null ? "" : `${count(step.tokens)} tokens`;
  const spent = [tokens, cost, step.seconds === null ? "" : duration(step.seconds)].filter(Boolean).join(", ");
  const soFar = step.usd === null ? "" : ` (${money(step.usd_so_far)} USD so far)`;
  const warning = [flags.length ? `⚑ ${flags.map((flag) => flag.name).join(", ")} ` : "", step.error ? "⚠ error " : ""].join("");
  const title = make("span", { class: "step" }, make("b", {}, `${step.index} ${step.source || "?"}`), warning ? make("b", { class: "warning" }, ` ${warning}`) : "",
    make("span", { class: "gist" }, gist(step)), make("span", { class: "spent" }, `${spent}${soFar}`));
  return make("li", { id: here && partId(`step-${step.index}`) }, folded(title, () => stepParts(step, flags, here, attempt)));
}

/** One line of what a step is about: the tools that it calls, else how its message begins. */
function gist(step) {
  const words = step.tools.map((tool) => `${tool.name} ${Object.values(Object(tool.arguments)).filter((value) => typeof value === "string").join(" ")}`).join("; ") || step.message.text;
  const line = words.slice(0, 4 * GIST).replace(/\s+/g, " ").trim();
  return line.length > GIST ? `${line.slice(0, GIST)}…` : line;
}

/** The call behind a step as it went over the wire, fetched when it is opened. */
function rawCall(attempt, number) {
  return folded(`Request and response of call ${number}`, () => {
    const place = make("div", {}, "Loading …");
    const body = (words, found) => [make("h4", {}, words), found ? printed(found.text) : make("p", {}, "None was recorded.")];
    loadCall(attempt, number).then((call) => place.replaceChildren(make("p", { class: "note" }, telling(`${call.wire}, status ${call.status}${call.error ? `, ${call.error}` : ""}`)), ...body("Request", call.request), ...body("Response", call.answer)),
      (error) => place.replaceChildren(make("p", { class: "warning" }, error.message)));
    return [place];
  });
}

function stepParts(step, flags, here, attempt) {
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
    attempt && step.call !== null && step.call !== undefined ? rawCall(attempt, step.call) : null,
    here ? make("p", { class: "note" }, make("a", { href: here(`step-${step.index}`) }, "Link to this step")) : null,
  ].filter(Boolean);
}

function showTool(tool) {
  const given = tool.arguments !== null && typeof tool.arguments === "object" ? Object.entries(tool.arguments) : [["arguments", tool.arguments]];
  const parts = given.flatMap(([name, value]) => [make("dt", {}, telling(name)), make("dd", {}, prose(typeof value === "string" ? value : JSON.stringify(value, null, 1) ?? ""))]);
  return make("div", { class: "tool" }, make("h4", {}, "Calls ", make("code", {}, telling(tool.name || "?"))), make("dl", { class: "arguments" }, parts));
}

function showResult(result) {
  const others = result.others.length ? make("p", { class: "note" }, `Sub-agent ${result.others.join(", ")}`) : null;
  return make("div", { class: "tool" }, make("h4", {}, "Result"), others, prose(result.text.text || "(empty)"));
}
