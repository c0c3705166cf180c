'use strict';

const fs = require('fs');

const ESCAPED = new Map([['t', '\t'], ['n', '\n'], ['r', '\r'], ['\\', '\\']]);
const NUMBER = /^-?[0-9]+(\.[0-9]+)?$/;
const FORMULA = /^ *[=+\-@\t\r\n]/;

function unescape(text) {
  let out = '';
  for (let i = 0; i < text.length; i++) {
    if (text[i] !== '\\') {
      out += text[i];
      continue;
    }
    i += 1;
    if (!ESCAPED.has(text[i])) throw new RangeError('unknown escape');
    out += ESCAPED.get(text[i]);
  }
  return out;
}

// The field, with an apostrophe where a spreadsheet would calculate it.
function asText(field) {
  return FORMULA.test(field) && !NUMBER.test(field) ? "'" + field : field;
}

function quoted(field) {
  return /[,"\r\n]/.test(field) ? '"' + field.replace(/"/g, '""') + '"' : field;
}

function convert(text) {
  if (text === '') return '';
  const lines = text.replace(/\n$/, '').split('\n');
  const width = lines[0].split('\t').length;
  let out = '';
  for (const line of lines) {
    const fields = line.split('\t').map(unescape);
    if (fields.length !== width) throw new RangeError('wrong number of fields');
    out += fields.map((field) => quoted(asText(field))).join(',') + '\r\n';
  }
  return out;
}

function main() {
  const [source, target] = process.argv.slice(2);
  let text;
  try {
    text = convert(fs.readFileSync(source, 'utf8'));
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return 1;
  }
  fs.writeFileSync(target, text);
  return 0;
}

process.exitCode = main();
