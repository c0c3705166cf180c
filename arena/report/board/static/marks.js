// Places in a patch that other parts of an attempt point at, and how an address leads to one.

import { make } from "./dom.js";
import { telling } from "./unseen.js";

const PLACE = /([\w.+/-]{1,200}):(\d{1,7})/g;
const SHORTEST = 4;

/** The address of a part of the page, as an id. */
export const partId = (part) => `part-${part}`;

/** What points into the patch of an attempt. link: gives the address of a part of it. { line(path, n), test(name) }, null where nothing is. */
export function pointers(patch, link) {
  const all = patch ? patch.text.split("\n") : [];
  const files = patch ? patch.files.map((file) => ({ name: file.new, lines: shownLines(file, all) })) : [];
  const href = (file, line) => link(`L${file}-${line}`);
  let places = null;
  return {
    line(path, line) {
      const file = files.findIndex(({ name, lines }) => name && (path === name || path.endsWith(`/${name}`)) && lines.has(line));
      return file < 0 ? null : href(file, line);
    },
    test(name) {
      places ??= firstPlaces(files);
      const found = name.split(/\W+/).reverse().map((word) => places.get(word)).find(Boolean);
      return found ? { href: href(...found), line: found[1] } : null;
    },
  };
}

/** Number of a line -> its text, of those that stand in the new file. */
function shownLines(file, all) {
  const found = new Map();
  for (const hunk of file.hunks) {
    let line = hunk.new;
    for (let at = hunk.at + 1; at <= hunk.at + hunk.lines; at += 1) if (!/^[-\\]/.test(all[at] ?? "")) found.set(line++, (all[at] ?? "").slice(1));
  }
  return found;
}

/** Word -> the file and line that have it first: made once, as an imported run may name any number of tests. */
function firstPlaces(files) {
  const found = new Map();
  for (const [file, { lines }] of files.entries()) for (const [line, text] of lines) for (const word of text.split(/\W+/)) if (word.length >= SHORTEST && !found.has(word)) found.set(word, [file, line]);
  return found;
}

/** A text in which each FILE:LINE that the patch shows leads there. */
export function pointing(text, to) {
  const nodes = [];
  let from = 0;
  for (const found of text.matchAll(PLACE)) {
    const href = to.line(found[1], Number(found[2]));
    if (!href) continue;
    nodes.push(...telling(text.slice(from, found.index)), make("a", { href }, found[0]));
    from = found.index + found[0].length;
  }
  return [...nodes, ...telling(text.slice(from))];
}

/** Shows a part: opens what holds it, lets lines that are not drawn yet be drawn, and puts the focus there. */
export function jump(part) {
  const line = /^L(\d+)-\d+$/.exec(part);
  if (line) open(document.getElementById(partId(`F${line[1]}`)), partId(part));
  const place = document.getElementById(partId(part));
  if (!place) return;
  for (let above = place.parentElement.closest("details"); above; above = above.parentElement.closest("details")) above.open = true;
  if (place.matches("details")) open(place);
  place.scrollIntoView({ block: line ? "center" : "start" });
  const target = place.querySelector("h3, summary") ?? place;
  if (target === place) place.tabIndex = -1;
  target.focus({ preventScroll: true });
}

function open(holder, wanted = null) {
  if (!holder) return;
  holder.open = true;
  holder.dispatchEvent(new Event("toggle")); // its own comes only later
  const more = holder.querySelector("button.more");
  while (wanted && more && !more.hidden && !document.getElementById(wanted)) more.click();
}
