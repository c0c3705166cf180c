'use strict';

const fs = require('fs');

const RECORD = new RegExp(
  '^[0-9]{4}-[0-9]{2}-[0-9]{2} ([01][0-9]|2[0-3]):[0-5][0-9] [A-Za-z]{1,10} +' +
    '(/[^ ]*) ([1-5])[0-9]{2} ([0-9]{1,12})$'
);

// The path, a text of bytes, as printable ASCII.
function shown(path) {
  return path.replace(/[^\x21-\x7e]|\\/g, (byte) =>
    byte === '\\' ? '\\\\' : '\\x' + byte.charCodeAt(0).toString(16).padStart(2, '0')
  );
}

function add(counts, key) {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function ascending(a, b) {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function main() {
  const lines = fs.readFileSync(0).toString('latin1').split('\n');
  if (lines[lines.length - 1] === '') lines.pop();
  const [hours, classes, paths] = [new Map(), new Map(), new Map()];
  let [records, malformed, size] = [0, 0, 0n];
  for (const line of lines) {
    const match = RECORD.exec(line);
    if (match === null) {
      malformed += 1;
      continue;
    }
    records += 1;
    add(hours, match[1]);
    add(paths, match[2]);
    add(classes, match[3]);
    size = BigInt.asIntN(32, size + BigInt(match[4]));
  }
  const out = [`records ${records}`, `malformed ${malformed}`, `bytes ${size}`];
  for (const hour of [...hours.keys()].sort()) out.push(`hour ${hour}: ${hours.get(hour)}`);
  for (const first of [...classes.keys()].sort()) {
    out.push(`status ${first}xx: ${classes.get(first)}`);
  }
  const ranked = [...paths].sort((a, b) => b[1] - a[1] || ascending(a[0], b[0]));
  for (const [path, count] of ranked.slice(0, 3)) out.push(`top ${count} ${shown(path)}`);
  process.stdout.write(out.join('\n') + '\n');
}

main();
