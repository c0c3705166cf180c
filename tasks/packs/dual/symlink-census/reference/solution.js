"use strict";
// What becomes of the symbolic links of a share when it moves.

const fs = require("node:fs");
const path = require("node:path");

const SHARES = "shares";

function kindOf(link, root) {
  try {
    const end = fs.realpathSync.native(link);
    return end === root || end.startsWith(root + path.sep) ? "inside" : "outside";
  } catch {
    return "broken";
  }
}

function* linksBelow(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })) {
    const full = path.join(folder, entry.name);
    if (entry.isSymbolicLink()) yield full;
    else if (entry.isDirectory()) yield* linksBelow(full);
  }
}

function isShare(share) {
  if (typeof share !== "string" || ["", ".", ".."].includes(share) || /[/\0]/.test(share)) {
    return false;
  }
  const found = fs.lstatSync(path.join(SHARES, share), { throwIfNoEntry: false });
  return found !== undefined && found.isDirectory();
}

function census(share) {
  if (!isShare(share)) return null;
  const folder = path.join(SHARES, share);
  const root = fs.realpathSync(folder);
  const found = [...linksBelow(folder)].map((link) => ({
    path: path.relative(folder, link),
    target: fs.readlinkSync(link),
    kind: kindOf(link, root),
  }));
  return found.sort((a, b) => (a.path < b.path ? -1 : 1));
}

module.exports = { census };
