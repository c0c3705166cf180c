// The answer of a page before its figures: which agent is best, how sure that is, and what it costs.

import { columnName } from "./board.js";
import { make, many, money, percent, points, range } from "./dom.js";
import { bestOf, frontOf } from "./entries.js";
import { compared } from "./pairs.js";

const BY = ["agent", "model", "prompt"];
const SURE = 0.05;

/** The best entry, the next one with its distance, and the cheapest of the front; null where no agent is measured. ranked: best first */
export function answer({ board, rows }, track, ranked) {
  const words = board.vocabularies[track];
  const measured = ranked.filter((entry) => !entry.calibration && entry.good.rate !== null);
  const best = bestOf(measured);
  if (!best) return null;
  const good = words.good.join(", ");
  const next = bestOf(measured.filter((entry) => entry !== best));
  const cheapest = frontOf(measured, (entry) => entry.usd_per_attempt).sort((a, b) => a.usd_per_attempt - b.usd_per_attempt)[0];
  const facts = [
    ["Best", best, rateWords(best, good)],
    next && ["Next", next, `${rateWords(next, good)}. ${distance(compared(board, rows, BY, next.number, best.number, words.good))}`],
    cheapest && cheapest !== best && ["Cheapest on the front", cheapest, rateWords(cheapest, good)],
  ].filter(Boolean);
  const title = `Best of track ${track}`;
  return make("section", { "aria-label": title, class: "answer" }, make("h2", {}, title),
    make("dl", {}, facts.map(([words, entry, said]) => make("div", {}, make("dt", {}, words), make("dd", {}, make("b", {}, columnName(entry)), " ", said)))));
}

const rateWords = ({ good: { rate, interval, n }, usd_per_attempt: usd }, good) => `${percent(rate)} ${good}, 95 % interval ${range(interval)}, n ${n}; ${money(usd)} USD each`;

/** How far the best is ahead on the tasks of both, as the view Compare and `arena compare` have it. */
function distance({ difference, flip, tasks }) {
  if (difference.value === null) return "No attempts of both are at the same task.";
  const p = flip < 0.0001 ? "below 0.0001" : flip.toFixed(4);
  return `The best less the next: ${points(difference.value, difference.interval)} on ${many(tasks, "task")}, p by tasks ${p}: ${flip < SURE ? "a difference" : "not told apart"}.`;
}
