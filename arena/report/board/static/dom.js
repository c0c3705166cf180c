// Elements made without any markup: all text, whoever wrote it, becomes text nodes.

const UNSEEN = /[^\P{C}\n\t]|[\u2028\u2029]/gu;
const SVG = "http://www.w3.org/2000/svg";
const LONG = 160;
const ONE_LINE = 28;

/** Control characters, direction overrides and other unprintables replaced, as arena/report/text.py does. */
export function shown(text) {
  return String(text).replace(UNSEEN, "\uFFFD");
}

/** At most `most` characters of a name, for places where a long one would push all else away. */
export function short(text, most = 40) {
  const whole = shown(text);
  if (whole.length <= most) return whole;
  return `${whole.slice(0, Math.ceil(most / 2))}…${whole.slice(1 - Math.floor(most / 2))}`;
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") for (const [event, act] of Object.entries(value)) element.addEventListener(event, act);
    else if (/^(on|style$|src)/i.test(name)) throw new Error(`no attribute ${name}`);
    else if (name === "href" && !String(value).startsWith("#")) throw new Error("links stay on the page");
    else if (value !== null && value !== undefined && value !== false) element.setAttribute(name, value === true ? "" : shown(value));
  }
  for (const child of children.flat(Infinity)) {
    if (child !== null && child !== undefined && child !== false && child !== "") element.append(child instanceof Node ? child : shown(child));
  }
  return element;
}

/** An HTML element; children are elements or text. */
export function make(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

/** An SVG element. */
export function draw(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

/** A name in a cell: one line where it is short, cut where it is very long, with the rest in its title. */
export function name(text) {
  const whole = shown(text);
  if (whole.length <= ONE_LINE) return make("span", { class: "name" }, whole || "–");
  return make("span", { class: "long name", title: whole.length > LONG && whole.slice(0, 2000) }, short(whole, LONG));
}

/** A table of plain cells: numbers right, all else left. */
export function table(caption, headings, rows) {
  const cell = (value, n) => n === 0
    ? make("th", { scope: "row" }, value)
    : make("td", { class: typeof value === "number" || /^[–+=\-\d]/.test(value) ? "number" : null }, typeof value === "number" ? count(value) : value);
  return make("div", { class: "wide", tabindex: 0, role: "region", "aria-label": caption },
    make("table", {},
      make("caption", {}, caption),
      make("thead", {}, make("tr", {}, headings.map((text) => make("th", { scope: "col" }, text)))),
      make("tbody", {}, rows.map((row) => make("tr", {}, row.map(cell))))));
}

const NUMBERS = new Intl.NumberFormat("en");
export const count = (value) => NUMBERS.format(value);
export const percent = (value, digits = 1) => (value === null ? "–" : `${(100 * value).toFixed(digits)} %`);
export const range = (pair, digits = 1) => (pair ? `[${(100 * pair[0]).toFixed(digits)}, ${(100 * pair[1]).toFixed(digits)}]` : "");
/** A difference of shares with its interval: points of per cent, which are no per cent of anything. */
export const points = (value, pair) => (value === null ? "–" : `${value > 0 ? "+" : ""}${(100 * value).toFixed(1)} points${pair ? ` ${range(pair)}` : ""}`);
export const many = (n, thing) => `${count(n)} ${thing}${n === 1 ? "" : "s"}`;
export const rate = (found) => (found.rate === null ? "–" : `${percent(found.rate)} ${range(found.interval)}`);

export function money(value) {
  if (value === null) return "–";
  return value !== 0 && Math.abs(value) < 0.1 ? value.toPrecision(2) : value.toFixed(2);
}

export function duration(seconds) {
  if (seconds === null) return "–";
  if (seconds < 60) return `${seconds.toFixed(1)} s`;
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, Math.round(seconds) % 60];
  return h ? `${h} h ${m} min` : `${m} min ${s} s`;
}

const SOON = 250;

/** A place for what is further down: built when the page has drawn what is seen first. build: an element or null. */
export function later(build) {
  const place = make("div", { class: "later" });
  requestAnimationFrame(() => requestIdleCallback(() => {
    if (place.isConnected) place.replaceWith(...[build()].filter(Boolean));
  }, { timeout: SOON }));
  return place;
}

/** Puts the focus back where it was, by the key of the element that had it, after its surroundings were redrawn. */
export function redraw(place, ...children) {
  const key = place.contains(document.activeElement) && document.activeElement.dataset.key;
  place.replaceChildren(...children);
  if (key) [...place.querySelectorAll("[data-key]")].find((found) => found.dataset.key === key)?.focus({ preventScroll: true });
}
