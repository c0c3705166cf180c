// Which run is shown: the newest, until another is chosen.

import { newest } from "./board.js";
import { count, make, redraw, short } from "./dom.js";

const MOST = 500;
const ALL = "*";

/** A chooser of the run, where there are several. context: { board, filters, state, go } */
export function showRuns(place, { board, filters, state, go }) {
  const names = board.names.run;
  if (names.length < 2) return redraw(place);
  const asked = state.filters.run ?? [];
  const now = asked.length > 1 ? "" : filters.run?.[0] ?? ALL;
  const option = (value, words) => make("option", { value, selected: value === now }, words);
  const order = [...names.keys()].sort((a, b) => board.runs[b][2] - board.runs[a][2]).slice(0, MOST);
  const act = ({ target }) => go({ filters: { ...state.filters, run: [target.value] } });
  return redraw(place, make("label", {}, "Run ", make("select", { "data-key": "run", "aria-label": "Run", on: { change: act } },
    now === "" && option("", `${count(asked.length)} runs, see the filters`),
    order.map((run) => option(names[run], `${short(names[run], 48)}${names[run] === newest(board) ? " (newest)" : ""}`)),
    option(ALL, `All ${count(names.length)} runs`))));
}
