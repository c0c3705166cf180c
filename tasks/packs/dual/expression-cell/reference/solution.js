'use strict';

const TOKEN = / *(?:([0-9]+(?:\.[0-9]+)?)|([A-Z]{1,2}[0-9]{1,3})|([-+*/^()]))/y;
const DEEPEST = 100;

class NoFormula extends Error {}

function tokensOf(formula) {
  const end = formula.length - formula.match(/ *$/)[0].length;
  const found = [];
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < end) {
    const match = TOKEN.exec(formula);
    if (match === null) throw new NoFormula();
    found.push(match);
  }
  return found;
}

function finite(value) {
  if (!Number.isFinite(value)) throw new NoFormula();
  return value;
}

class Reader {
  constructor(tokens, cells) {
    this.tokens = tokens;
    this.cells = cells;
    this.at = 0;
    this.depth = 0;
  }

  // The sign that comes next, if it is one of these.
  take(signs) {
    const sign = this.at < this.tokens.length ? this.tokens[this.at][3] : undefined;
    if (sign === undefined || !signs.includes(sign)) return undefined;
    this.at += 1;
    return sign;
  }

  sum() {
    let value = this.product();
    for (let sign = this.take('+-'); sign; sign = this.take('+-')) {
      const other = this.product();
      value = finite(sign === '+' ? value + other : value - other);
    }
    return value;
  }

  product() {
    let value = this.signed();
    for (let sign = this.take('*/'); sign; sign = this.take('*/')) {
      const other = this.signed();
      value = finite(sign === '*' ? value * other : value / other);
    }
    return value;
  }

  signed() {
    this.depth += 1;
    if (this.depth > DEEPEST) throw new NoFormula();
    const value = this.take('-') ? -this.signed() : this.power();
    this.depth -= 1;
    return value;
  }

  power() {
    const value = this.single();
    return this.take('^') ? finite(value ** this.signed()) : value;
  }

  single() {
    if (this.take('(')) {
      const value = this.sum();
      if (!this.take(')')) throw new NoFormula();
      return value;
    }
    if (this.at === this.tokens.length) throw new NoFormula();
    const [, number, cell] = this.tokens[this.at];
    this.at += 1;
    if (number !== undefined) return finite(Number(number));
    if (cell === undefined || !Object.hasOwn(this.cells, cell)) throw new NoFormula();
    return this.cells[cell];
  }
}

function evaluate(formula, cells) {
  try {
    const reader = new Reader(tokensOf(formula), cells);
    const value = reader.sum();
    return reader.at === reader.tokens.length ? value : null;
  } catch (error) {
    if (error instanceof NoFormula) return null;
    throw error;
  }
}

module.exports = { evaluate };
