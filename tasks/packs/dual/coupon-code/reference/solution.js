'use strict';

const MOST_PRICES = 1000;
const HIGHEST_PRICE = 1_000_000_000;

const isPrice = (value) => Number.isInteger(value) && value >= 0 && value <= HIGHEST_PRICE;

function normal(code) {
  let [start, end] = [0, code.length];
  while (start < end && code[start] === ' ') start += 1;
  while (end > start && code[end - 1] === ' ') end -= 1;
  return code.slice(start, end).replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function reduced(total, worth) {
  const [kind, number] = worth.split(' ');
  const off = kind === 'percent' ? Math.floor((total * Number(number)) / 100) : Number(number);
  return Math.max(total - off, 0);
}

function checkout(prices, codes, coupons) {
  if (prices.length > MOST_PRICES || !prices.every(isPrice)) return null;
  let total = prices.reduce((sum, price) => sum + price, 0);
  for (const code of new Set(codes.map(normal))) {
    if (code === '') continue;
    if (!Object.hasOwn(coupons, code)) return null;
    total = reduced(total, coupons[code]);
  }
  return total;
}

module.exports = { checkout };
