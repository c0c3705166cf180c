// The page: from the address to a view, and from what people do to another address.

import { attempts } from "./attempts.js";
import { newest, rowOf } from "./board.js";
import { compare } from "./compare.js";
import { renderAttempt } from "./detail.js";
import { count, make, redraw } from "./dom.js";
import { showFilters } from "./filters.js";
import { heatmap } from "./heatmap.js";
import { jump } from "./marks.js";
import { patterns } from "./kinds.js";
import { leaderboard } from "./leaderboard.js";
import { watch } from "./live.js";
import { overview } from "./overview.js";
import { paper } from "./paper.js";
import { showProvenance } from "./provenance.js";
import { showRuns } from "./runs.js";
import { search } from "./search.js";
import { effective, select } from "./select.js";
import { loadBoard, loadDetail, source } from "./sources.js";
import { changed, parsed, TABS } from "./state.js";

const VIEWS = { overview, leaderboard, heatmap, compare, paper, attempts, search };
const TITLES = { overview: "Overview", leaderboard: "Leaderboard", heatmap: "Heat map", compare: "Compare", paper: "Paper", attempts: "Attempts", search: "Search" };
const RESIZED = 150;
const at = (id) => document.getElementById(id);
const page = { board: null, shown: null };

const go = (changes) => {
  location.hash = changed(parsed(location.hash), changes);
};
/** Draws anew what is shown, as something came that it waited for. */
const again = () => parsed(location.hash).attempt || render();
const link = (changes) => changed(parsed(location.hash), changes);

/** Draws all that the address asks for. */
async function render() {
  const state = parsed(location.hash);
  if (state.theme) document.documentElement.dataset.theme = state.theme;
  else delete document.documentElement.dataset.theme;
  at("theme").textContent = isDark() ? "Light colours" : "Dark colours";
  const { board } = page;
  const filters = effective(state.filters, newest(board));
  const context = { board, state, filters, go, link, again, ...select(board, filters), width: Math.max(300, Math.min(1100, at("main").clientWidth - 8)) };
  const key = JSON.stringify([state.tab, state.attempt, state.beside]);
  document.body.dataset.view = state.attempt ? "attempt" : state.tab;
  showTabs(state);
  showRuns(at("runs"), context);
  showProvenance(at("provenance"), board);
  showFilters(at("filters"), context);
  if (state.attempt) await showAttempt(context, key);
  else redraw(at("main"), ...(context.rows.length ? VIEWS[state.tab](context) : [make("p", {}, board.n ? "The filters leave no attempt." : "There are no attempts yet.")]));
  if (page.shown !== null && page.shown !== key) {
    at("main").focus({ preventScroll: true });
    scrollTo(0, 0);
  }
  page.shown = key;
  if (state.attempt && state.part) jump(state.part);
  document.title = `${state.attempt ? `Attempt ${state.attempt.slice(0, 16)}` : TITLES[state.tab]} · secure-coding arena`;
}

function showTabs(state) {
  redraw(at("tabs"), ...TABS.map((tab) => make("a", { href: link({ tab }), "data-key": `tab-${tab}`, "aria-current": tab === state.tab && !state.attempt ? "page" : null }, TITLES[tab])));
}

/** The detail of an attempt, fetched once while it is shown. */
async function showAttempt(context, key) {
  const { state } = context;
  if (page.shown === key) return;
  const back = make("p", {}, make("a", { href: link({}), "data-key": "back" }, `← Back to ${TITLES[state.tab].toLowerCase()}`));
  const place = make("div", {}, "Loading …");
  redraw(at("main"), back, place);
  try {
    const detail = await loadDetail(state.attempt);
    place.replaceChildren();
    if (detail) renderAttempt(place, detail, context);
    else place.append(make("p", {}, missing(state.attempt)));
  } catch (error) {
    place.replaceChildren(make("p", { class: "warning" }, `This attempt could not be loaded: ${error.message}`));
  }
}

function missing(id) {
  return rowOf(page.board, id) < 0
    ? "No attempt of this page has that id."
    : "The details of this attempt are not in this file, which holds only as many as keep it small. The command arena show prints them; a folder made with arena report --html FOLDER/ holds all.";
}

/** What a file says of the attempts whose details it could not hold. */
function partly({ details, n }) {
  return source() === "file" && details < n ? `; details of ${count(details)} of ${count(n)} attempts are in this file` : "";
}

const prefersDark = () => matchMedia("(prefers-color-scheme: dark)").matches;
const isDark = () => (document.documentElement.dataset.theme || (prefersDark() ? "dark" : "light")) === "dark";

function theme() {
  const dark = prefersDark();
  const next = isDark() ? "light" : "dark";
  const state = parsed(location.hash);
  location.hash = changed(state, { theme: next === (dark ? "dark" : "light") ? "" : next, attempt: state.attempt, part: state.part, beside: state.beside, page: state.page });
}

async function refetch() {
  page.board = await loadBoard();
  page.shown = parsed(location.hash).attempt ? page.shown : null;
  const top = scrollY;
  await render();
  scrollTo(0, top);
}

/** The width of what is drawn follows the window, but not each step of it. */
function followWindow() {
  let [wide, waiting] = [innerWidth, null];
  addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      if (innerWidth !== wide && !parsed(location.hash).attempt) render();
      wide = innerWidth;
    }, RESIZED);
  });
}

/** Opens for paper what stands there in place of a drawing that scrolls. */
function openPrinted() {
  for (const details of document.querySelectorAll("details.printed")) {
    details.open = true;
    details.dispatchEvent(new Event("toggle")); // its own comes only later
  }
}

async function start() {
  addEventListener("beforeprint", openPrinted);
  at("theme").addEventListener("click", theme);
  document.body.append(patterns());
  try {
    page.board = await loadBoard();
  } catch (error) {
    at("main").replaceChildren(make("p", { class: "warning" }, `The results could not be loaded: ${error.message}`));
    return;
  }
  at("made").textContent = `${page.board.live ? "Live" : "Written"} ${page.board.generated.replace("T", " ").replace("Z", " UTC")}${partly(page.board)}`;
  if (innerWidth > 760) at("side").open = true;
  addEventListener("hashchange", render);
  followWindow();
  await render();
  performance.mark("arena-shown");
  if (source() === "live") watch(at("live"), page.board.version, refetch);
}

start();
