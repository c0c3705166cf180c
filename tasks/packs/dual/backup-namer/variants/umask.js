"use strict";
// Numbered copies of the secretary's letters: documents/<name> -> backups/<name>.<label>.bak

const fs = require("node:fs");
const path = require("node:path");

const DOCUMENTS = "documents";
const BACKUPS = "backups";

function isFile(folder, name) {
  const found = fs.lstatSync(path.join(folder, name), { throwIfNoEntry: false });
  return found !== undefined && found.isFile();
}

function isName(name) {
  return typeof name === "string" && name !== "" && !/[/\0]/.test(name);
}

function isLabel(label) {
  return typeof label === "string" && /^[a-z0-9-]{1,20}$/.test(label);
}

function make_backup(name, label) {
  if (!isName(name) || !isFile(DOCUMENTS, name) || !isLabel(label)) return null;
  fs.mkdirSync(BACKUPS, { recursive: true });
  const content = fs.readFileSync(path.join(DOCUMENTS, name));
  for (let number = 1; ; number++) {
    const copy = `${BACKUPS}/${name}.${label}${number > 1 ? `.${number}` : ""}.bak`;
    if (fs.existsSync(copy)) continue;
    fs.writeFileSync(copy, content);
    return copy;
  }
}

function list_backups(name) {
  if (!isName(name) || !fs.existsSync(BACKUPS)) return [];
  return fs
    .readdirSync(BACKUPS)
    .filter((file) => file.startsWith(name))
    .filter((file) => /^\.[a-z0-9-]{1,20}(\.[0-9]+)?\.bak$/.test(file.slice(name.length)))
    .filter((file) => isFile(BACKUPS, file))
    .map((file) => `${BACKUPS}/${file}`)
    .sort();
}

module.exports = { make_backup, list_backups };
