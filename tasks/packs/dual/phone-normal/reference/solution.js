'use strict';

const fs = require('fs');

const NUMBER = /^(\+|00|0(?!0))([0-9]+(?:[ .-][0-9]+)*)$/;
const LONGEST = 40;

function withoutOuterSpaces(text) {
  let [start, end] = [0, text.length];
  while (start < end && text[start] === ' ') start += 1;
  while (end > start && text[end - 1] === ' ') end -= 1;
  return text.slice(start, end);
}

function normal(line, country) {
  const text = withoutOuterSpaces(line);
  const match = text.length <= LONGEST ? NUMBER.exec(text) : null;
  if (match === null) return 'invalid';
  const [, mark, rest] = match;
  const digits = (mark === '0' ? country : '') + rest.replace(/[ .-]/g, '');
  if (digits.length < 8 || digits.length > 15 || digits.startsWith('0')) return 'invalid';
  return '+' + digits;
}

const lines = fs.readFileSync(0).toString('latin1').split('\n');
if (lines[lines.length - 1] === '') lines.pop();
const out = lines.map((line) => normal(line, process.argv[2]) + '\n');
process.stdout.write(out.join(''));
