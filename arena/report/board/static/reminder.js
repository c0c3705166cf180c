// With and without the reminder of security: the same agents, models and tasks (SecureAgentBench, Figure 7).

import { columnName } from "./board.js";
import { figure } from "./chart.js";
import { make, many, points } from "./dom.js";
import { labelBars, labelHeadings, labelRows } from "./labelbars.js";
import { compared } from "./pairs.js";

const BY = ["agent", "model", "prompt"];

/** null where no agent and model was tried with both prompts. */
export function reminderFigure({ board, rows, width }, track, entries) {
  const words = board.vocabularies[track];
  const reminded = entries.filter((entry) => entry.prompt === "reminder");
  const pairs = reminded.flatMap((entry) => {
    const plain = entries.find((one) => one.prompt === "neutral" && one.agent === entry.agent && one.model === entry.model);
    return plain ? [[plain, entry]] : [];
  });
  if (!pairs.length) return null;
  const named = (entry) => `${columnName({ ...entry, prompt: "" })}: ${entry.prompt}`;
  const flat = pairs.flat();
  const differences = pairs.map(([plain, entry]) => {
    const found = compared(board, rows, BY, plain.number, entry.number, words.good);
    const { value, interval, n } = found.difference;
    return `${columnName({ ...plain, prompt: "" })}: ${points(value, interval)}, ${many(n, "pair")}, p ${found.p.toPrecision(2)}`;
  });
  return figure("With and without the reminder",
    `The same agent and model, asked neutrally and with a reminder of security. Difference of ${words.good.join(", ")} on paired attempts, reminder less neutral, with its 95 % interval and McNemar's p:`,
    make("div", {}, make("ul", {}, differences.slice(0, 12).map((line) => make("li", {}, line))),
      labelBars(width, words, flat, `Bars of label shares for ${pairs.length} pairs of prompts`)),
    labelHeadings(words, "agent, model, prompt"), () => labelRows(words, flat, named));
}
