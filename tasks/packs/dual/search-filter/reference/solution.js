'use strict';

const fs = require('fs');

// Greedy matching: only the last star is ever tried again.
function fits(pattern, title) {
  let [at, position, star, retry] = [0, 0, -1, -1];
  while (position < title.length) {
    if (pattern[at] === '*') {
      [star, retry] = [at, position];
      at += 1;
    } else if (at < pattern.length && (pattern[at] === '?' || pattern[at] === title[position])) {
      at += 1;
      position += 1;
    } else if (star >= 0) {
      retry += 1;
      [at, position] = [star + 1, retry];
    } else {
      return false;
    }
  }
  return pattern.slice(at).every((sign) => sign === '*');
}

const lines = fs.readFileSync(0, 'utf8').split('\n');
if (lines[lines.length - 1] === '') lines.pop();
const [pattern = '', ...titles] = lines;
const signs = Array.from(pattern);
const found = titles.filter((title) => fits(signs, Array.from(title)));
process.stdout.write(found.map((title) => title + '\n').join(''));
