"use strict";
// As much of a page as drilldown.js asks for: elements that hold text and children, and nothing that parses markup.
class Element {
  constructor(tag) {
    Object.assign(this, { tag, children: [], text: "", className: "", dataset: {}, on: {}, value: "", open: false, hidden: false });
  }
  set textContent(text) { this.text = String(text); this.children = []; }
  get textContent() { return this.text + this.children.map((child) => child.textContent).join(""); }
  set innerHTML(_) { throw new Error("markup from data"); }
  append(...more) { this.children.push(...more); }
  replaceChildren(...more) { this.children = more; }
  addEventListener(name, act) { this.on[name] = act; }
  find(wanted) { return [...(wanted(this) ? [this] : []), ...this.children.flatMap((child) => child.find(wanted))]; }
}
const fs = require("node:fs");
const parts = Object.fromEntries(["data", "filters", "told", "list", "more"].map((id) => [id, new Element(id)]));
parts.data.textContent = fs.readFileSync(process.argv[3], "utf-8");
globalThis.document = { getElementById: (id) => parts[id], createElement: (tag) => new Element(tag) };
require(process.argv[2]);

const open = (details) => { details.open = true; details.on.toggle(); };
const choose = (name, value) => {
  const label = parts.filters.children.find((child) => child.text === name);
  label.children[0].value = value;
  label.children[0].on[label.children[0].on.input ? "input" : "change"]();
};
const told = {};
told.first = { said: parts.told.text, drawn: parts.list.children.length, more: !parts.more.hidden };
told.texts_before = parts.list.find((e) => e.tag === "pre").length;
open(parts.list.children[0]);
const tests = parts.list.children[0].find((e) => e.tag === "details").slice(1);
open(tests[0]);
told.test = tests[0].textContent;
told.tests = tests.length;
parts.more.on.click();
told.grown = parts.list.children.length;
choose("verdict", "fail");
told.failing = parts.told.text;
choose("verdict", "");
choose("task or sample", "T7/");
choose("task or sample", "t7 ");
told.found = parts.told.text;
told.menus = parts.filters.children.map((label) => [label.text, label.children[0].children.map((o) => o.value)]);
told.tags = [...new Set([...parts.list.find(() => true), ...parts.filters.find(() => true)].map((e) => e.tag))];
console.log(JSON.stringify(told));
