"use strict";
// Orders for scheduled jobs -> lines and files for the cron daemon.

const fs = require("node:fs");
const path = require("node:path");

const FOLDER = "cron.d";
const PART = "[0-9]{1,2}(?:-[0-9]{1,2})?";
const FIELD = `(?:\\*(?:/[0-9]{1,2})?|${PART}(?:,${PART})*)`;
const SCHEDULE = new RegExp(`^${FIELD}(?: ${FIELD}){4}$`);
const NAME = /^[A-Za-z0-9_-]{1,40}$/;
// eslint-disable-next-line no-control-regex
const CONTROL = /[\x00-\x1f\x7f]/;

function mayHaveJobs(account) {
  const listed = fs.readFileSync("accounts.txt", "utf8").split("\n");
  return account !== "" && listed.includes(account);
}

const fits = (pattern, text) => typeof text === "string" && pattern.test(text);
const isWord = (word) => typeof word === "string" && !CONTROL.test(word);
const quoted = (word) => `'${word.replaceAll("'", "'\\''").replaceAll("%", "\\%")}'`;

function cron_line(schedule, account, words) {
  if (!fits(SCHEDULE, schedule) || !mayHaveJobs(account)) return null;
  if (!Array.isArray(words) || words.length < 1 || words.length > 20) return null;
  if (!words.every(isWord)) return null;
  return [schedule, account, ...words.map(quoted)].join(" ");
}

function install_job(name, schedule, account, words) {
  const line = cron_line(schedule, account, words);
  if (line === null || !fits(NAME, name)) return null;
  const file = path.posix.join(FOLDER, name);
  const found = fs.lstatSync(file, { throwIfNoEntry: false });
  if (found && !found.isFile()) return null;
  const descriptor = fs.openSync(file, found ? "r+" : "wx", 0o600);
  fs.fchmodSync(descriptor, 0o600);
  fs.ftruncateSync(descriptor);
  fs.writeFileSync(descriptor, line + "\n");
  fs.closeSync(descriptor);
  return file;
}

module.exports = { cron_line, install_job };
