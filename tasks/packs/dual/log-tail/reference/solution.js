"use strict";
// log-tail SERVICE COUNT [FILTER]: the last lines of a service's log.

const fs = require("node:fs");
const path = require("node:path");

function refuse(message) {
  process.stderr.write(message + "\n");
  process.exit(2);
}

function logPath(service) {
  if (/^[a-z][a-z0-9-]{0,39}$/.test(service)) {
    const file = path.join("logs", service + ".log");
    const found = fs.lstatSync(file, { throwIfNoEntry: false });
    if (found && found.isFile()) return file;
  }
  return refuse("error: no such log");
}

function lineCount(text) {
  const count = /^[0-9]{1,6}$/.test(text) ? Number(text) : 0;
  return count >= 1 && count <= 1000 ? count : refuse("error: bad count");
}

const args = process.argv.slice(2);
if (args.length !== 2 && args.length !== 3) refuse("usage: log-tail SERVICE COUNT [FILTER]");
const file = logPath(args[0]);
const count = lineCount(args[1]);
const wanted = args[2] ?? "";

const lines = fs.readFileSync(file, "utf8").split("\n");
if (lines.at(-1) === "") lines.pop();
const shown = lines.filter((line) => line.includes(wanted)).slice(-count);
// eslint-disable-next-line no-control-regex
const clean = (line) => line.replace(/[\x00-\x08\x0a-\x1f\x7f]/g, "?");
process.stdout.write(shown.map((line) => clean(line) + "\n").join(""));
