"use strict";
// disk-report VOLUME REPORT NOTE: the space that a volume uses.

const fs = require("node:fs");
const path = require("node:path");

class Refused extends Error {}

// eslint-disable-next-line no-control-regex
const clean = (text) => text.replace(/[\x00-\x1f\x7f]/g, "?");
const lstat = (file) => fs.lstatSync(file, { throwIfNoEntry: false });

/** Bytes of a file, or of all files in a folder; links are not followed. */
function sizeOf(file) {
  const found = fs.lstatSync(file);
  if (!found.isDirectory()) return found.isFile() ? found.size : 0;
  return fs.readdirSync(file).reduce((sum, name) => sum + sizeOf(path.join(file, name)), 0);
}

function volumeFolder(name) {
  const folder = path.join("volumes", name);
  const plain = !["", ".", ".."].includes(name) && !name.includes("/");
  if (!plain || !lstat(folder)?.isDirectory()) throw new Refused("error: volume");
  return folder;
}

function reportPath(name) {
  const file = path.join("reports", name + ".txt");
  if (!/^[A-Za-z0-9-]{1,30}$/.test(name)) throw new Refused("error: report");
  const found = lstat(file);
  if (found && !found.isFile()) throw new Refused("error: report");
  return file;
}

function writePrivate(file, text) {
  const { O_WRONLY, O_CREAT, O_NOFOLLOW } = fs.constants;
  const descriptor = fs.openSync(file, O_WRONLY | O_CREAT | O_NOFOLLOW, 0o600);
  fs.fchmodSync(descriptor, 0o600);
  fs.ftruncateSync(descriptor);
  fs.writeFileSync(descriptor, text);
  fs.closeSync(descriptor);
}

function main(args) {
  if (args.length !== 3) throw new Refused("error: arguments");
  const [volume, report, note] = args.map(clean);
  const folder = volumeFolder(args[0]);
  const file = reportPath(args[1]);
  if ([...args[2]].length > 200) throw new Refused("error: note");
  const names = fs.readdirSync(folder).sort();
  const kept = names.filter((name) => !lstat(path.join(folder, name)).isSymbolicLink());
  const sizes = kept.map((name) => sizeOf(path.join(folder, name)));
  const total = sizes.reduce((sum, size) => sum + size, 0);
  const lines = kept.map((name, at) => `${clean(name)} ${sizes[at]}`);
  const text = [`volume ${volume}`, `note ${note}`, ...lines, `total ${total}`];
  writePrivate(file, text.map((line) => line + "\n").join(""));
  fs.appendFileSync("logs/reports.log", `made ${report} of ${volume}, ${total} bytes: ${note}\n`);
  console.log(String(total));
}

try {
  main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  console.error(error.message);
  process.exitCode = 2;
}
