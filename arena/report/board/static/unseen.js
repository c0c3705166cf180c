// Characters that nobody sees, made visible: with them a patch can show other code than a compiler reads.

import { make } from "./dom.js";

const UNSEEN = /(?:[^\P{C}\n\t]|[\u00A0\u034F\u115F\u1160\u17B4\u17B5\u2000-\u200A\u2028\u2029\u202F\u205F\u2800\u3000\u3164\uFFA0\uFE00-\uFE0F]|[\u{E0100}-\u{E01EF}])+/gu;
const COLOURS = /\u001b\[[0-9;]{0,20}m/g;
const NAMES = {
  0x00: "null", 0x08: "backspace", 0x0d: "carriage return", 0x1b: "escape", 0xa0: "no-break space", 0xad: "soft hyphen", 0x200b: "zero width space",
  0x200c: "zero width non-joiner", 0x200d: "zero width joiner", 0x200e: "left-to-right mark", 0x200f: "right-to-left mark", 0x202a: "left-to-right embedding",
  0x202b: "right-to-left embedding", 0x202c: "end of direction", 0x202d: "left-to-right override", 0x202e: "right-to-left override", 0x2066: "left-to-right isolate",
  0x2067: "right-to-left isolate", 0x2068: "first strong isolate", 0x2069: "end of isolate", 0xfeff: "byte order mark",
};
const MAX_MARKS = 2000;
const MAX_IN_ONE = 4;

/** The text as nodes: what is not seen stands as U+202E in a mark of its own. Beyond 2,000 marks it is U+FFFD. */
export function telling(text) {
  const nodes = [];
  let [from, marks] = [0, 0];
  for (const found of text.matchAll(UNSEEN)) {
    marks += 1;
    if (marks > MAX_MARKS) break;
    nodes.push(text.slice(from, found.index), unseenMark(found[0]));
    from = found.index + found[0].length;
  }
  nodes.push(text.slice(from).replace(UNSEEN, "\uFFFD"));
  return nodes;
}

function unseenMark(run) {
  const points = [...run];
  const code = (point) => `U+${point.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;
  const shown = points.slice(0, MAX_IN_ONE).map(code).join(" ");
  const more = points.length - MAX_IN_ONE;
  const title = points.slice(0, MAX_IN_ONE).map((point) => NAMES[point.codePointAt(0)] ?? "unseen character").join(", ");
  return make("span", { class: "unseen", title }, more > 0 ? `${shown} and ${more} more` : shown);
}

/** Whether a text holds what turns the direction of what follows, or has no width: reason enough to warn. */
export function deceives(text) {
  return /[\u061C\u200B-\u200F\u202A-\u202E\u2060-\u2069\uFEFF\u{E0000}-\u{E007F}]/u.test(text);
}

/** A text without the colours of terminals. */
export const plain = (text) => text.replaceAll("\r\n", "\n").replace(COLOURS, "");

/** A text as it was printed: all that is not seen is marked. */
export function printed(text) {
  return make("pre", { class: "text", tabindex: 0 }, telling(plain(text)));
}

/** A text that people or models wrote, lines wrapped. */
export function prose(text) {
  return make("pre", { class: "text prose" }, telling(text));
}
