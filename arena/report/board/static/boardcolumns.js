// The columns of the leaderboard: which there are in a track, which are shown, and what stands in them.

import { canvas, segments } from "./chart.js";
import { count, duration, make, money, percent, range } from "./dom.js";
import { frontWord } from "./entries.js";
import { partsOf } from "./labelbars.js";

const [BAR, HIGH] = [112, 18];

/** Each column once: key, heading, what is sorted by, its cell, its text, and what a CSV file holds (numbers). */
export function columnsOf(words, scores) {
  const plain = (key, heading, value, text = value, more = {}) => ({ key, heading, value, text: (e) => String(text(e) ?? "–"), cell: (e) => text(e) ?? "–", csv: [[heading, value]], ...more });
  const rated = (key, heading, kind, found, more = {}) => ({
    key, heading, kind, value: (e) => found(e).rate, cell: (e) => rateCell(found(e)), text: (e) => rateText(found(e)), ...more,
    csv: [["rate", (o) => o.rate], ["low", (o) => o.interval?.[0]], ["high", (o) => o.interval?.[1]], ["n", (o) => o.n]].map(([part, of]) => [`${heading} ${part}`, (e) => of(found(e))]),
  });
  const heads = [...new Set(scores.flatMap(({ values }) => Object.keys(values)))];
  const scored = (e, head) => scores.find((one) => ["agent", "model", "prompt"].every((field) => one[field] === e[field]))?.values[head] ?? null;
  return [
    rated("good", `good (${words.good.join(", ")})`, "good", (e) => e.good, { first: true }),
    ...(words.vulnerable.length ? [rated("vulnerable", `vulnerable (${words.vulnerable.join(", ")})`, "vulnerable", (e) => e.vulnerable, { first: true })] : []),
    { key: "labels", heading: "labels", first: true, value: (e) => e.good.rate, cell: (e) => labelBar(words, e), text: (e) => said(words, e), csv: [] },
    ...heads.map((head) => plain(`score:${head}`, head, (e) => scored(e, head), (e) => scored(e, head)?.toFixed(2), { first: true })),
    ...(words.score ? [{ key: "score", heading: "score", first: !heads.length, value: (e) => e.score?.value ?? null, cell: scoreCell, text: scoreText,
      csv: ["value", "low", "high", "n"].map((part) => [part === "value" ? "score" : `score ${part}`, (e) => e.score?.[part] ?? (part === "n" ? 0 : "")]) }] : []),
    plain("usd", "USD each", (e) => e.usd_per_attempt, (e) => money(e.usd_per_attempt), { first: true }),
    plain("seconds", "time each", (e) => e.seconds / e.attempts, (e) => duration(e.seconds / e.attempts)),
    plain("pareto", "front", (e) => (e.pareto ? 1 : 0), (e) => (e.pareto ? "◆ " : "") + frontWord(e), { first: true, mark: (e) => e.pareto }),
    ...words.labels.map(({ label, kind }) => rated(`label:${label}`, label, kind, (e) => e.labels[label])),
    plain("n", "attempts", (e) => e.attempts),
    plain("unlabelled", "no label", (e) => e.unlabelled),
    plain("tokens", "tokens each", (e) => e.tokens / e.attempts, (e) => count(Math.round(e.tokens / e.attempts))),
    plain("calls", "calls each", (e) => e.calls / e.attempts, (e) => (e.calls / e.attempts).toFixed(1)),
    plain("flagged", "flagged", (e) => e.flagged),
    plain("per_good", `USD per ${words.good.length === 1 ? words.good[0] : "good"}`, (e) => e.usd_per_good, (e) => money(e.usd_per_good), { first: true }),
  ];
}

/** Columns that fit beside the names on pages of less than these pixels: a number that is cut would be read as another. */
const NARROW = [[480, ["good", "usd"]], [760, ["good", "vulnerable", "usd"]]];

/** Those that the address asks for, else the first ones, as many as there is room for. */
export function shownOf(columns, asked, width) {
  const few = NARROW.find(([below]) => width < below)?.[1];
  const keys = asked.split(",");
  const chosen = columns.filter(({ key }) => keys.includes(key));
  return asked && chosen.length ? chosen : columns.filter(({ key, first }) => (few ? few.includes(key) : first));
}

const rateText = (found) => (found.rate === null ? "–" : `${percent(found.rate)} ${range(found.interval)} of ${count(found.n)}`);

function rateCell(found) {
  return found.rate === null ? "–" : [make("b", {}, percent(found.rate)), make("small", {}, `${range(found.interval)} of ${count(found.n)}`)];
}

const scoreText = ({ score }) => (score ? `${score.value.toFixed(3)}${score.low === null ? "" : ` [${score.low.toFixed(3)}, ${score.high.toFixed(3)}]`} of ${count(score.n)}` : "–");

function scoreCell(entry) {
  const [value, ...rest] = scoreText(entry).split(" ");
  return rest.length ? [make("b", {}, value), make("small", {}, rest.join(" "))] : value;
}

const said = (words, entry) => words.labels.map(({ label }) => [label, entry.labels[label].rate]).filter(([, share]) => share).map(([label, share]) => `${label} ${percent(share)}`).join(", ") || "–";

function labelBar(words, entry) {
  return entry.good.n ? canvas(BAR, HIGH, `Labels: ${said(words, entry)}`, segments(partsOf(words, entry), (share) => share * BAR, 0, HIGH)) : "–";
}
