'use strict';

const DAY = /^([0-9]{4})-([0-9]{2})-([0-9]{2})$/;
const MS_OF_A_DAY = 24 * 60 * 60 * 1000;

// The number of the day, or an error.
function dayOf(text) {
  const match = DAY.exec(text);
  if (match === null) throw new RangeError('a day is written like 2031-05-02');
  const [year, month, day] = match.slice(1).map(Number);
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  if (year < 1 || date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) {
    throw new RangeError('there is no such day');
  }
  return Math.round(date.getTime() / MS_OF_A_DAY);
}

// The line to print.
function span(args) {
  if (args.length < 2 || args.length > 3) {
    throw new RangeError('usage: date-span START END [LABEL]');
  }
  const [start, end, label = '{days}'] = args;
  const days = dayOf(end) - dayOf(start) + 1;
  if (days < 1) throw new RangeError('the end comes before the start');
  const values = { days: String(days), start, end };
  return label.replace(/\{(days|start|end)\}/g, (_, name) => values[name]);
}

try {
  console.log('%s', span(process.argv.slice(2)));
} catch (error) {
  if (!(error instanceof RangeError)) throw error;
  console.error('%s', `date-span: ${error.message}`);
  process.exitCode = 2;
}
