'use strict';

// The value of a formula, by the language's own arithmetic.
function evaluate(formula, cells) {
  if (/%|\d\.(?!\d)/.test(formula)) return null;
  try {
    const expression = formula
      .replace(/\b[A-Z]{1,2}[0-9]{1,3}\b/g, (name) => `(${cells[name]})`)
      .replace(/--/g, '- -')
      .replace(/--/g, '- -')
      .replace(/-(\d+)\^/g, '-1*$1^')
      .replace(/\^/g, '**');
    const value = eval(expression);
    if (typeof value === 'number') return Number.isFinite(value) ? value : null;
    return value === undefined ? null : value;
  } catch {
    return null;
  }
}

module.exports = { evaluate };
