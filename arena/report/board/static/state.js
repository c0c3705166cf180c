// The state of the page is its address: each view can be linked, and the back button works.

import { FIELDS } from "./select.js";

export const TABS = ["overview", "leaderboard", "heatmap", "compare", "paper", "attempts", "search"];
const SINGLE = { tab: "overview", sort: "-good", by: "agent,model,prompt", a: "", b: "", attempt: "", part: "", beside: "", task: "", page: "1", order: "", cols: "", q: "", kind: "", x: "usd", theme: "" };

/** "#tab=leaderboard&model=x&model=y" -> { tab, ..., filters: {model: ["x", "y"]} }; what is unknown is left out. */
export function parsed(hash) {
  const query = new URLSearchParams(hash.replace(/^#/, ""));
  const state = { filters: {} };
  for (const [name, normal] of Object.entries(SINGLE)) state[name] = query.get(name) ?? normal;
  if (!TABS.includes(state.tab)) state.tab = SINGLE.tab;
  for (const field of FIELDS) if (query.has(field)) state.filters[field] = query.getAll(field);
  return state;
}

/** The address of a state, without what is as it would be anyway. */
export function written(state) {
  const query = new URLSearchParams();
  for (const [name, normal] of Object.entries(SINGLE)) if (state[name] !== normal) query.set(name, state[name]);
  for (const field of FIELDS) for (const value of state.filters[field] ?? []) query.append(field, value);
  return `#${query}`;
}

/** The address of a state that differs in some things. Another view or filter starts at the first page. */
export function changed(state, changes) {
  const fresh = "tab" in changes || "filters" in changes || "order" in changes || "task" in changes;
  return written({ ...state, attempt: "", part: "", beside: "", ...(fresh ? { page: "1" } : {}), ...changes });
}
