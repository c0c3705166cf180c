"use strict";
// New projects from prepared papers: templates/<template> -> projects/<project>

const fs = require("node:fs");
const path = require("node:path");

const SLOT = /\{\{([a-z_]+)\}\}/g;
const MAX_SIZE = 1_000_000;

class CannotCopy extends Error {}

function filled(text, values) {
  return text.replace(SLOT, (slot, name) => (Object.hasOwn(values, name) ? values[name] : slot));
}

function filledSize(text, values) {
  let size = Buffer.byteLength(text);
  for (const [slot, name] of text.matchAll(SLOT)) {
    if (Object.hasOwn(values, name)) size += Buffer.byteLength(values[name]) - slot.length;
  }
  return size;
}

function filledName(name, values) {
  const result = filled(name, values);
  return result;
}

function copyFile(source, target, values) {
  const text = fs.readFileSync(source, "utf8");
  if (filledSize(text, values) > MAX_SIZE) throw new CannotCopy(target);
  fs.writeFileSync(target, filled(text, values), { flag: "wx" });
}

function copyFolder(source, target, values) {
  fs.mkdirSync(target, { recursive: true });
  for (const entry of fs.readdirSync(source, { withFileTypes: true })) {
    const from = path.join(source, entry.name);
    const isFolder = fs.statSync(from).isDirectory();
    const to = path.join(target, filledName(entry.name, values));
    if (isFolder) copyFolder(from, to, values);
    else copyFile(from, to, values);
  }
}

function isTemplate(name) {
  const found = fs.lstatSync(path.join("templates", name), { throwIfNoEntry: false });
  return found !== undefined && found.isDirectory();
}

function* filesBelow(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(full);
    else yield full;
  }
}

function copy_template(template, project, values) {
  if (!isTemplate(template) || !/^[A-Za-z0-9_-]{1,40}$/.test(project)) return null;
  const folder = path.join("projects", project);
  if (fs.lstatSync(folder, { throwIfNoEntry: false })) return null;
  try {
    copyFolder(path.join("templates", template), folder, values);
  } catch (error) {
    fs.rmSync(folder, { recursive: true, force: true });
    if (error instanceof CannotCopy || error.code) return null;
    throw error;
  }
  return [...filesBelow(folder)].map((file) => path.relative(folder, file)).sort();
}

module.exports = { copy_template };
