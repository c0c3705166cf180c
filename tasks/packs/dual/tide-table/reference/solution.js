'use strict';

const fs = require('fs');

const STATION = /^station ([!-~]|[!-~][ -~]{0,78}[!-~])$/;
const SLOTS = /^slots ([1-9][0-9]?)$/;
const READING = /^(0|[1-9][0-9]?) ((?:[01][0-9]|2[0-3]):[0-5][0-9]) (0|-?[1-9][0-9]{0,3})$/;
const MOST_SLOTS = 96;
const HIGHEST = 2000;

class Malformed extends Error {}

function matched(form, line) {
  const match = form.exec(line);
  if (match === null) throw new Malformed(line);
  return match;
}

function metres(cm) {
  const size = Math.abs(cm);
  const rest = String(size % 100).padStart(2, '0');
  return `${cm < 0 ? '-' : ''}${Math.floor(size / 100)}.${rest}`;
}

// Slot -> time and height.
function readingsOf(lines, slots) {
  const found = new Map();
  for (const line of lines) {
    const [, digits, time, cm] = matched(READING, line);
    const [slot, height] = [Number(digits), Number(cm)];
    if (slot >= slots || found.has(slot) || Math.abs(height) > HIGHEST) throw new Malformed(line);
    found.set(slot, { time, height });
  }
  return found;
}

function meanOf(heights) {
  if (heights.length === 0) return '-';
  const total = heights.reduce((sum, height) => sum + height, 0);
  return metres(Math.trunc(total / heights.length));
}

function convert(text) {
  const lines = text.replace(/\n$/, '').split('\n');
  if (lines.length < 2) throw new Malformed('too few lines');
  const name = matched(STATION, lines[0])[1];
  const slots = Number(matched(SLOTS, lines[1])[1]);
  if (slots > MOST_SLOTS) throw new Malformed(lines[1]);
  const found = readingsOf(lines.slice(2), slots);
  const out = [name];
  for (let slot = 0; slot < slots; slot++) {
    const reading = found.get(slot);
    out.push(reading ? `${slot} ${reading.time} ${metres(reading.height)}` : `${slot} - -`);
  }
  out.push('mean ' + meanOf([...found.values()].map((reading) => reading.height)));
  return out.join('\n') + '\n';
}

function main() {
  const [source, target] = process.argv.slice(2);
  let text;
  try {
    text = convert(fs.readFileSync(source, 'latin1'));
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    return 1;
  }
  fs.writeFileSync(target, text);
  return 0;
}

process.exitCode = main();
