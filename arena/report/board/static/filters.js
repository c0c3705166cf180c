// The filters: a list of boxes for each field, with how many attempts each value would leave.

import { count, make, name, redraw, shown } from "./dom.js";
import { facets, FIELDS } from "./select.js";

const LONG = 8;
const MOST = 100;
const TITLES = { cwe: "CWE" };
const EMPTY = { label: "(no label)", health: "(open)", prompt: "(none)" };
const open = new Set(["track", "agent", "model"]);
const searched = {};

/** Shows the filters of a state in a place. context: { board, missed, state, go } */
export function showFilters(place, context) {
  const chosen = FIELDS.some((field) => context.state.filters[field]);
  const clear = make("button", { type: "button", "data-key": "clear-all", disabled: !chosen, on: { click: () => context.go({ filters: {} }) } }, "Clear all filters");
  redraw(place, make("p", { class: "found", role: "status" }, `${count(context.rows.length)} of ${count(context.board.n)} attempts`), clear,
    ...FIELDS.filter((field) => offered(context, field)).map((field) => group(context, field)));
}

/** A field with one value for all has nothing to choose. */
const offered = ({ board, state }, field) => board.names[field].length > 1 || state.filters[field];

function group(context, field) {
  const chosen = context.filters[field] ?? [];
  const title = TITLES[field] ?? field;
  const body = make("div", {});
  const details = make("details", { open: open.has(field) }, make("summary", { "data-key": `group-${field}` }, title, chosen.length ? make("b", { class: "badge" }, ` ${chosen.length} chosen`) : ""), body);
  if (open.has(field)) options(body, context, field, chosen);
  details.addEventListener("toggle", () => {
    open[details.open ? "add" : "delete"](field);
    if (details.open && !body.children.length) options(body, context, field, chosen);
  });
  return details;
}

function options(body, context, field, chosen) {
  const { board, missed, state, go } = context;
  const counts = facets(board, missed, field);
  const names = board.names[field].map((value, n) => ({ value, n: counts[n] })).filter(({ value, n }) => value || n || chosen.includes(value));
  const list = make("div", { class: "options" });
  const draw = () => {
    const asked = (searched[field] ?? "").toLowerCase();
    const fit = names.filter(({ value }) => chosen.includes(value) || !asked || value.toLowerCase().includes(asked));
    fit.sort((a, b) => chosen.includes(b.value) - chosen.includes(a.value) || b.n - a.n);
    redraw(list, ...fit.slice(0, MOST).map((one) => option(field, one, chosen.includes(one.value), (wanted) => {
      const values = wanted ? [...chosen, one.value] : chosen.filter((value) => value !== one.value);
      const { [field]: _, ...others } = state.filters;
      go({ filters: values.length ? { ...others, [field]: values } : field === "run" ? { ...others, run: ["*"] } : others });
    })), fit.length > MOST ? make("p", { class: "note" }, `${count(fit.length - MOST)} more; search for them.`) : "");
  };
  const search = names.length > LONG && make("input", { type: "search", placeholder: `Search ${count(names.length)}`, "aria-label": `Search ${TITLES[field] ?? field}`, value: searched[field] ?? "", "data-key": `search-${field}`, on: { input: (event) => {
    searched[field] = event.target.value;
    draw();
  } } });
  const { [field]: _, ...others } = state.filters;
  const clear = chosen.length > 0 && make("button", { type: "button", class: "small", "data-key": `clear-${field}`, on: { click: () => go({ filters: others }) } }, `Clear ${TITLES[field] ?? field}`);
  draw();
  body.replaceChildren(...[search, make("fieldset", {}, make("legend", { class: "hidden" }, TITLES[field] ?? field), list), clear].filter(Boolean));
}

function option(field, { value, n }, checked, act) {
  const box = make("input", { type: "checkbox", "data-key": `${field}=${shown(value)}`, on: { change: (event) => act(event.target.checked) } });
  box.checked = checked;
  return make("label", { class: n || checked ? "option" : "option none" }, box, make("span", { class: "value" }, value ? name(value) : EMPTY[field] ?? "(none)"), make("span", { class: "count" }, count(n)));
}
