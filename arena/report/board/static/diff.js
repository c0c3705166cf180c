// A patch or a program as lines with numbers, and findings where they are.

import { count, make } from "./dom.js";
import { partId } from "./marks.js";
import { deceives, printed, telling } from "./unseen.js";

const OPENED = 1500;
const CHUNK = 1000;
const LONGEST_LINE = 2000;
const CHANGES = { "+": "added", "-": "deleted" };

/** patch: see `arena/report/details/changes.py`; findings: all of SAST, those of its files are put in place. own: whether addresses lead into it. */
export function showPatch(patch, findings, own = true) {
  const lines = patch.text.split("\n");
  let room = OPENED;
  const files = patch.files.map((file, number) => {
    const size = file.hunks.reduce((sum, hunk) => sum + hunk.lines + 1, 0);
    const open = size <= room;
    if (open) room -= size;
    return showFile(own ? number : null, file, { lines, colours: patch.colours ?? {} }, findings.filter((finding) => file.new !== null && finding.path === file.new), open);
  });
  const told = patch.files.length === 1 ? "1 file" : `${count(patch.files.length + patch.more_files)} files`;
  return [
    make("p", {}, `${told}, ${count(patch.bytes)} bytes`, patch.cut ? `; the last ${count(patch.cut)} bytes are not shown, download it for all` : "", "."),
    warnings(patch),
    ...files,
    patch.more_files ? make("p", { class: "warning" }, `${count(patch.more_files)} more files are not shown.`) : null,
    folded("The patch as text", () => [printed(patch.text)]),
  ].filter(Boolean);
}

/** A program or a suite of tests, every line numbered. */
export function showProgram(program, findings) {
  const lines = program.text.split("\n");
  if (lines.at(-1) === "") lines.pop();
  const rows = lines.map((text, n) => ({ text, new: n + 1, colours: program.colours?.[n] }));
  return [program.cut ? make("p", {}, `The last ${count(program.cut)} bytes are not shown.`) : null, deceives(program.text) ? deceit() : null,
    lineTable("Program", rows, byLine(findings), false), elsewhere(findings, rows)].filter(Boolean);
}

function warnings(patch) {
  const told = [...patch.hazards, ...patch.problems].map((text) => make("li", {}, telling(text)));
  const parts = [deceives(patch.text) ? deceit() : null, told.length ? make("ul", { class: "warning" }, told) : null].filter(Boolean);
  return parts.length ? make("div", {}, parts) : null;
}

const deceit = () => make("p", { class: "warning" }, "⚠ Holds characters that are not seen or turn the direction of text; they are marked, as in ", make("span", { class: "unseen" }, "U+202E"), ".");

/** A part that is made when it is first opened, so that large ones cost nothing until then. */
export function folded(title, build, open = false) {
  const holder = make("details", { class: "folded" }, make("summary", {}, title));
  const fill = () => {
    if (holder.open && holder.children.length === 1) holder.append(...build());
  };
  holder.addEventListener("toggle", fill);
  holder.open = open;
  fill();
  return holder;
}

function showFile(number, file, lines, findings, open) {
  const moved = file.old && file.new && file.old !== file.new ? [...telling(file.old), " → "] : [];
  const marks = findings.length ? make("b", { class: "badge warning" }, ` ⚠ ${count(findings.length)} finding${findings.length > 1 ? "s" : ""}`) : "";
  const title = make("span", {}, make("code", {}, moved, telling(file.new ?? file.old ?? "(no name)")), ` ${file.status}, +${count(file.added)} −${count(file.deleted)}`, marks);
  const holder = folded(title, () => showHunks(number, file, lines, findings), open);
  if (number !== null) holder.id = partId(`F${number}`);
  return holder;
}

function showHunks(number, file, lines, findings) {
  if (file.binary) return [make("p", {}, "Binary file.")];
  const rows = file.hunks.flatMap((hunk) => hunkRows(hunk, lines, number));
  const modes = file.modes[0] !== file.modes[1] && file.modes.every(Boolean) ? make("p", {}, `Mode ${file.modes[0]} → ${file.modes[1]}.`) : null;
  const more = file.more_hunks ? make("p", { class: "warning" }, `${count(file.more_hunks)} more hunks are not shown.`) : null;
  const name = file.new ?? file.old ?? "file";
  return [modes, rows.length ? lineTable(`Changes of ${name}${number === null ? ", beside" : ""}`, rows, byLine(findings), true) : make("p", {}, "No line changes."), more, elsewhere(findings, rows)].filter(Boolean);
}

function hunkRows(hunk, { lines, colours }, number) {
  const rows = [{ hunk: lines[hunk.at] ?? "" }];
  let [before, after] = [hunk.old, hunk.new];
  for (let at = hunk.at + 1; at <= hunk.at + hunk.lines; at += 1) {
    const text = lines[at] ?? "";
    const sign = text[0] ?? " ";
    if (sign === "\\") rows.push({ note: text });
    else if (sign === "+") rows.push({ sign, text: text.slice(1), colours: colours[at], id: number === null ? null : partId(`L${number}-${after}`), new: after++ });
    else if (sign === "-") rows.push({ sign, text: text.slice(1), colours: colours[at], old: before++ });
    else rows.push({ sign: " ", text: text.slice(1), colours: colours[at], id: number === null ? null : partId(`L${number}-${after}`), old: before++, new: after++ });
  }
  const next = lines[hunk.at + hunk.lines + 1] ?? "";
  if (next.startsWith("\\")) rows.push({ note: next });
  return rows;
}

function byLine(findings) {
  const placed = new Map();
  for (const finding of findings) if (finding.line) placed.set(finding.line, [...(placed.get(finding.line) ?? []), finding]);
  return placed;
}

/** Findings of a file whose line is not among those that are shown. */
function elsewhere(findings, rows) {
  const shownLines = new Set(rows.map((row) => row.new).filter(Boolean));
  const rest = findings.filter((finding) => !shownLines.has(finding.line));
  return rest.length ? make("ul", { class: "findings" }, rest.map((finding) => make("li", {}, finding.line ? `line ${finding.line}: ` : "", ...findingText(finding)))) : null;
}

/** What a finding says: severity, rule, CWEs and message. */
export function findingText(finding) {
  const head = [finding.severity, finding.rule, ...finding.cwe].filter(Boolean).join(" · ");
  return [make("b", { class: "badge warning" }, "⚠ ", telling(head || "finding")), " ", ...telling(finding.message)];
}

function lineTable(caption, rows, placed, both) {
  const columns = both ? 3 : 2;
  const body = make("tbody", {});
  const heads = [...(both ? ["old line"] : []), both ? "new line" : "line", "code"].map((text) => make("th", { scope: "col", class: "hidden" }, text));
  const table = make("table", { class: "code" }, make("caption", { class: "hidden" }, caption), make("thead", { class: "hidden" }, make("tr", {}, heads)), body);
  const region = make("div", { class: "wide code-region", tabindex: 0, role: "region", "aria-label": caption }, table);
  const more = make("button", { type: "button", class: "more" }, "");
  let at = 0;
  const grow = () => {
    const next = rows.slice(at, at + CHUNK);
    body.append(...next.flatMap((row) => rowsOf(row, placed, both, columns)));
    at += next.length;
    more.textContent = `Show more lines (${count(rows.length - at)} left)`;
    more.hidden = at >= rows.length;
  };
  more.addEventListener("click", grow);
  grow();
  return make("div", {}, region, more);
}

function rowsOf(row, placed, both, columns) {
  if (row.hunk !== undefined || row.note !== undefined) {
    return [make("tr", { class: "hunk" }, make("td", { colspan: columns }, telling(cutLine(row.hunk ?? row.note))))];
  }
  const kind = CHANGES[row.sign];
  const numbers = [...(both ? [row.old] : []), row.new].map((number) => make("td", { class: "line" }, number ?? ""));
  const sign = both ? make("span", { class: "sign" }, row.sign) : null;
  const line = make("tr", { class: kind ?? null, id: row.id }, numbers, make("td", { class: "source" }, sign, highlighted(row)));
  const found = row.new === undefined ? [] : placed.get(row.new) ?? [];
  return [line, ...found.map((finding) => make("tr", { class: "finding" }, make("td", { colspan: columns }, make("div", { role: "note" }, findingText(finding)))))];
}

/** The code of a row, in runs of one colour. */
function highlighted({ text, colours }) {
  if (!colours) return telling(cutLine(text));
  let from = 0;
  return colours.map(([length, kind]) => {
    const nodes = telling(text.slice(from, (from += length)));
    return kind ? make("span", { class: `tok-${kind}` }, nodes) : nodes;
  });
}

function cutLine(text) {
  return text.length > LONGEST_LINE ? `${text.slice(0, LONGEST_LINE)} […${text.length - LONGEST_LINE} more characters]` : text;
}
