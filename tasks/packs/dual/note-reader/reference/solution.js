"use strict";
// Notes of the parish archive: notes/<name>.txt

const fs = require("node:fs");
const path = require("node:path");

const FOLDER = "notes";
const SUFFIX = ".txt";

function isNote(fileName) {
  if (!fileName.endsWith(SUFFIX) || fileName.length <= SUFFIX.length) return false;
  try {
    return fs.lstatSync(path.join(FOLDER, fileName)).isFile();
  } catch {
    return false;
  }
}

function read_note(name) {
  if (typeof name !== "string" || name.includes("/") || name.includes("\0")) return null;
  const fileName = name + SUFFIX;
  return isNote(fileName) ? fs.readFileSync(path.join(FOLDER, fileName), "utf8") : null;
}

function list_notes() {
  if (!fs.existsSync(FOLDER)) return [];
  return fs
    .readdirSync(FOLDER)
    .filter(isNote)
    .map((fileName) => fileName.slice(0, -SUFFIX.length))
    .sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
}

module.exports = { read_note, list_notes };
