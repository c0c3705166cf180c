"use strict";
// Digests of files: made, and checked against a list

const crypto = require("node:crypto");
const fs = require("node:fs");

const LENGTHS = new Map([["sha256", 64], ["sha512", 128]]);
const LINE = /^(sha256|sha512):([0-9a-f]*) ([^\n]+)$/;

function digest(name, algorithm) {
  return crypto.createHash(algorithm).update(fs.readFileSync(name)).digest("hex");
}

// "file", "nothing", or "other" for what must not be read
function kind(name) {
  if (name === "" || name === "." || name === ".." || /[/\0]/.test(name)) return "other";
  try {
    return fs.lstatSync(name).isFile() ? "file" : "other";
  } catch (error) {
    return error.code === "ENOENT" ? "nothing" : "other";
  }
}

function checked(line) {
  const fields = LINE.exec(line);
  if (!fields) return "refused";
  const [, algorithm, hex, name] = fields;
  if (kind(name) === "other") return "refused";
  if (kind(name) === "nothing") return `missing ${name}`;
  return `${digest(name, algorithm).slice(0, 64).startsWith(hex.slice(0, 64)) ? "ok" : "changed"} ${name}`;
}

function check(listName) {
  let text;
  try {
    text = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(fs.readFileSync(listName));
  } catch {
    return 2;
  }
  const lines = text === "" ? [] : text.replace(/\n$/, "").split("\n");
  const answers = lines.map(checked);
  console.log(answers.join("\n"));
  return answers.every((answer) => answer.startsWith("ok ")) ? 0 : 1;
}

function make(names) {
  if (!names.every((name) => kind(name) === "file")) return 2;
  for (const name of names) console.log(`sha256:${digest(name, "sha256")} ${name}`);
  return 0;
}

function main([command, ...names]) {
  if (command === "make" && names.length > 0) return make(names);
  if (command === "check" && names.length === 1) return check(names[0]);
  return 2;
}

process.exitCode = main(process.argv.slice(2));
