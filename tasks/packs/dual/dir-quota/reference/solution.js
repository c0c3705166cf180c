"use strict";
// dir-quota MEMBER LIMIT: how much of a member's quota is used.

const fs = require("node:fs");
const path = require("node:path");

function homeOf(member) {
  if (["", ".", ".."].includes(member) || member.includes("/")) return null;
  const home = path.join("homes", member);
  const found = fs.lstatSync(home, { throwIfNoEntry: false });
  return found && found.isDirectory() ? home : null;
}

function* filesBelow(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(full);
    else if (entry.isFile()) yield { path: full, size: fs.lstatSync(full).size };
  }
}

function usage(member, home, limit) {
  const files = [...filesBelow(home)].map((file) => ({
    path: path.relative(home, file.path),
    size: file.size,
  }));
  files.sort((a, b) => b.size - a.size || (a.path < b.path ? -1 : 1));
  const bytes = files.reduce((sum, file) => sum + file.size, 0);
  const largest = files.length > 0 ? files[0].path : null;
  return { member, files: files.length, bytes, limit, over: bytes > limit, largest };
}

const args = process.argv.slice(2);
const home = args.length === 2 ? homeOf(args[0]) : null;
if (home === null || !/^[0-9]{1,15}$/.test(args[1])) {
  console.log(JSON.stringify({ error: "bad request" }));
  process.exitCode = 2;
} else {
  const found = usage(args[0], home, Number(args[1]));
  console.log(JSON.stringify(found));
  process.exitCode = found.over ? 1 : 0;
}
