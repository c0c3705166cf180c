// Another attempt, gold or the fixed patch beside this one: what both are, and their patches.

import { showPatch, showProgram } from "./diff.js";
import { count, duration, make, money, table } from "./dom.js";
import { loadDetail } from "./sources.js";
import { telling } from "./unseen.js";

/** Fills the place with both side by side. beside: "gold", "fixed" or an attempt's id. */
export async function showBeside(place, detail, beside, to) {
  const reference = detail.references?.[beside];
  const other = reference ? { patch: reference } : await loadDetail(beside);
  if (!other) return place.replaceChildren(make("p", {}, "The details of the other attempt are not in this file."));
  const facts = reference ? null : table("This attempt and the one beside it", ["fact", "this", "beside"], FACTS.map(([name, of]) => [name, of(detail), of(other)]));
  const name = reference ? beside : `beside: ${other.key.column}${other.key.replicate ? ` #${other.key.replicate}` : ""}`;
  return place.replaceChildren(...[facts, make("div", { class: "beside" }, side("this", detail, to), side(name, other, null))].filter(Boolean));
}

const FACTS = [
  ["label", (one) => one.label ?? (one.health || "open")], ["reason", (one) => (one.reason ?? "").split("\n")[0] || "–"], ["agent ended", (one) => one.ended || "–"],
  ["steps", (one) => (one.trajectory ? count(one.trajectory.total) : "–")], ["cost", (one) => `${money(one.cost.usd)} USD`], ["tokens", (one) => count(one.cost.tokens ?? 0)],
  ["time", (one) => duration(one.cost.seconds)], ["files changed", (one) => (one.patch ? count(one.patch.files.length + one.patch.more_files) : "–")],
  ["new findings", (one) => (one.sast ? count(one.sast.findings.length) : "–")],
].map(([name, of]) => [name, (one) => make("span", {}, telling(String(of(one))))]);

function side(name, one, to) {
  const findings = one.sast?.findings ?? [];
  const shown = one.patch ? (one.patch.bytes ? showPatch(one.patch, findings, to) : [make("p", {}, "Nothing is changed.")]) : one.program ? showProgram(one.program, one.program.findings) : [make("p", {}, "There is nothing to show.")];
  return make("section", { "aria-label": `Patch: ${name}` }, make("h4", {}, telling(name)), shown);
}
