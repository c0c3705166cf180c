'use strict';

const NUMBER = '([0-9]{1,9})(?:\\.([0-9]{1,3}))?';
const AMOUNT = new RegExp(`^ *(?:${NUMBER} *x *)?${NUMBER} *(g|kg|t) *$`);
const GRAMS = new Map([['g', 1n], ['kg', 1_000n], ['t', 1_000_000n]]);
const MOST = 1_000_000_000_000n;
const MILLION = 1_000_000n;

const thousandths = (whole, fraction = '') => BigInt(whole + fraction.padEnd(3, '0'));

// The amount in grams, or null.
function grams(text) {
  const match = AMOUNT.exec(text);
  if (match === null) return null;
  const [, count, countFraction, number, fraction, unit] = match;
  const times = count === undefined ? 1000n : thousandths(count, countFraction);
  const millionths = times * thousandths(number, fraction) * GRAMS.get(unit);
  return millionths % MILLION || millionths > MOST * MILLION ? null : millionths / MILLION;
}

const args = process.argv.slice(2);
const found = args.length === 1 ? grams(args[0]) : null;
if (found === null) {
  console.error('quantity-parser: not an amount');
  process.exitCode = 2;
} else {
  console.log(String(found));
}
