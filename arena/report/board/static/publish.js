// What is taken from the page into a paper: tables as Markdown, LaTeX and CSV, each with what its numbers mean.

import { csv, download } from "./csv.js";
import { make, shown, table } from "./dom.js";
import { png, svg } from "./picture.js";

const BLANK = /[\t-\r\x1c-\x20\x85\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+/;
const MARKS = /([\\`*_{}[\]<>#|~&!])/g;
const SPECIAL = {
  ...Object.fromEntries([..."#$%&_{}"].map((sign) => [sign, `\\${sign}`])), "\\": "\\textbackslash{}", "~": "\\textasciitilde{}", "^": "\\textasciicircum{}",
  "<": "\\textless{}", ">": "\\textgreater{}", "|": "\\textbar{}", "…": "\\ldots{}", "×": "\\texttimes{}",
};
const JOINED = /(?<=[-`',?!<>])(?=[-`',?!<>])/g;
const PLAIN = /[^a-z0-9]+/g;

/** As `one_line` of arena/report/text.py. */
const oneLine = (text) => shown(String(text).split(BLANK).filter(Boolean).join(" "));

/** A table as Markdown, as `to_markdown` of arena/report/grid.py has it. */
export function markdown({ title, headings, rows, note }) {
  const cells = (row) => `| ${row.map((cell) => oneLine(cell).replace(MARKS, "\\$1")).join(" | ")} |`;
  const escaped = (text) => oneLine(text).replace(MARKS, "\\$1");
  return [`### ${escaped(title)}`, "", cells(headings), `| --- |${" ---: |".repeat(headings.length - 1)}`, ...rows.map(cells), ...(note ? ["", escaped(note), ""] : [""])].join("\n");
}

function tex(text) {
  const letter = (sign) => SPECIAL[sign] ?? (sign.codePointAt(0) < 128 || /[\u00c0-\u017f]/.test(sign) && /\p{L}/u.test(sign) ? sign : `U+${sign.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`);
  return [...oneLine(text).replace(JOINED, "\0")].map((sign) => (sign === "\0" ? "{}" : letter(sign))).join("");
}

/** A table as LaTeX, as `to_latex` of arena/report/latex.py has it. */
export function latex({ title, headings, rows, note }) {
  const line = (cells) => {
    const told = `${cells.map(tex).join(" & ")} \\\\`;
    return /^[[*]/.test(told) ? `{}${told}` : told;
  };
  const below = note ? `\n\\par\\smallskip\\parbox{\\linewidth}{\\footnotesize ${tex(note)}}` : "";
  return `% needs \\usepackage{booktabs,textcomp}\n${["\\begin{table}", "\\centering", `\\caption{${tex(title)}}`, `\\label{tab:${fileOf(title)}}`, `\\begin{tabular}{l${"r".repeat(headings.length - 1)}}`, "\\toprule",
    line(headings), "\\midrule", ...rows.map(line), "\\bottomrule", `\\end{tabular}${below}`, "\\end{table}", ""].join("\n")}`;
}

const commas = ({ headings, rows, note }) => csv([headings, ...rows, ...(note ? [[], [`# ${oneLine(note)}`]] : [])]);

/** The form of each button: what it says, the ending and type of its file, and what makes it. */
const TABLES = [["Markdown", "md", "text/markdown", markdown], ["LaTeX", "tex", "application/x-tex", latex], ["CSV", "csv", "text/csv", (found) => commas(found.plain ?? found)]];

const fileOf = (title) => shown(title).toLowerCase().replace(PLAIN, "-").slice(0, 60).replace(/^-|-$/g, "") || "table";

/**
 * Buttons that save a table (none for null), and the drawing above it if there is one. found: gives { title, headings, rows, note } with
 * texts for people, and `plain`, the same with numbers for programs, where they differ.
 */
export function takeAway(title, found, drawing = null) {
  const button = (words, act) => make("button", { type: "button", class: "small", "aria-label": `${words} of ${title}`, "data-key": `take-${words}-${title}`, on: { click: act } }, words);
  const forms = drawing instanceof HTMLCanvasElement ? [["PNG", png]] : [["SVG", svg], ["PNG", png]];
  const pictures = drawing ? forms.map(([words, save]) => button(words, () => save(drawing, title, found?.().note ?? "", fileOf(title)))) : [];
  return make("div", { class: "take" }, "Save as ", pictures, found && TABLES.map(([words, ending, type, form]) => button(words, () => download(`${fileOf(title)}.${ending}`, form(found()), type))));
}

/** A table with its definitions below, and buttons that save both. rows: of texts and numbers. before: what stands on the page already, and in a file before the note. */
export function published(title, headings, rows, note = "", before = "") {
  return make("div", {}, table(title, headings, rows), note && make("p", { class: "note" }, note), takeAway(title, () => ({ title, headings, rows, note: before + note })));
}
