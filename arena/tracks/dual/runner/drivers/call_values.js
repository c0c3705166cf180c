'use strict';
// Tagged JSON <-> JavaScript values, inside the place; arena/tracks/dual/tasks/values.py says what the tags are.
// What is needed of the language is taken before the candidate runs, which may change it.

const DEPTH = 60;
const NODES = 1000000;
const DRAINED = 10000;
const CUT = 2000;
const { stringify, parse } = JSON;
const { keys, getPrototypeOf, defineProperty, create } = Object;
const { isArray } = Array;
const toISOString = Function.prototype.call.bind(Date.prototype.toISOString);
const bufferFrom = Buffer.from;
const types = require('node:util/types');

const CALLABLES = {
  no_shuffle: () => undefined,
  noop: () => undefined,
  identity: (value) => value,
  'random.shuffle': (items) => {
    for (let i = items.length - 1; i > 0; i--) {
      const j = Math.floor(Math.random() * (i + 1));
      [items[i], items[j]] = [items[j], items[i]];
    }
  },
  reverse: (items) => { items.reverse(); },
  failing: () => { throw new Error('called'); },
  true: () => true,
  false: () => false,
  zero: () => 0,
  add: (one, other) => one + other,
  double: (value) => value * 2,
  is_even: (value) => value % 2 === 0,
  upper: (text) => text.toUpperCase(),
  length: (value) => value.length,
  negate: (value) => -value,
};

function put(target, name, value) {
  // "__proto__" too becomes a property of its own, and Object.prototype has no say.
  const how = create(null);
  how.value = value;
  how.enumerable = how.writable = how.configurable = true;
  defineProperty(target, name, how);
}

function members(plain) {
  const made = {};
  for (const name of keys(plain)) put(made, name, decoded(plain[name]));
  return made;
}

const TAGS = {
  $bytes: (text) => bufferFrom(text, 'base64'),
  $tuple: (items) => items.map(decoded),
  $set: (items) => new Set(items.map(decoded)),
  $iterator: (items) => items.map(decoded)[Symbol.iterator](),
  $float: (text) => ({ nan: NaN, inf: Infinity, '-inf': -Infinity })[text],
  $int: (digits) => BigInt(digits),
  $date: (iso) => new Date(iso),
  $decimal: (text) => Number(text),
  $callable: (name) => CALLABLES[name],
  $undefined: () => undefined,
  $escape: members,
  $object: (_name, value) => members(value.fields || {}),
};

function decoded(value) {
  if (isArray(value)) return value.map(decoded);
  if (value === null || typeof value !== 'object') return value;
  for (const name of keys(value)) {
    if (name[0] === '$') return TAGS[name](value[name], value);
  }
  return members(value);
}

function typeName(value) {
  try {
    return String((value.constructor && value.constructor.name) || 'Object');
  } catch {
    return 'Object';
  }
}

function textOf(value) {
  try {
    return String(value).slice(0, CUT);
  } catch {
    return '<cannot be shown>';
  }
}

const opaque = (type, text) => tagged('$object', type, text);

function tagged(tag, content, text) {
  const made = create(null);
  made[tag] = content;
  if (text !== undefined) made.text = text;
  return made;
}

const PRIMITIVES = {
  string: (value) => value,
  boolean: (value) => value,
  undefined: () => tagged('$undefined', true),
  bigint: (value) => (String(value).length > 4000 ? opaque('bigint', textOf(value)) : tagged('$int', String(value))),
  symbol: (value) => opaque('symbol', textOf(value)),
  function: (value) => opaque('function', textOf(value.name)),
  number: (value) => {
    if (Number.isNaN(value)) return tagged('$float', 'nan');
    return Number.isFinite(value) ? value : tagged('$float', value > 0 ? 'inf' : '-inf');
  },
};

// Type test -> how it is encoded; the first that fits. `this` is the Encoder.
const OBJECTS = [
  [types.isBoxedPrimitive, function (value) { return this.encoded(value.valueOf()); }],
  [(value) => Buffer.isBuffer(value) || types.isUint8Array(value) || types.isAnyArrayBuffer(value),
    (value) => tagged('$bytes', bufferFrom(value).toString('base64'))],
  [types.isDate, (value) => (Number.isNaN(value.getTime()) ? opaque('Date', 'Invalid Date') : tagged('$date', toISOString(value)))],
  [types.isRegExp, (value) => opaque('RegExp', textOf(value))],
  [types.isNativeError, (value) => opaque(typeName(value), textOf(value.message))],
  [(value) => isArray(value) || types.isTypedArray(value), function (value) { return this.list(value); }],
  [types.isSet, async function (value) {
    const items = await this.list([...value]);
    return tagged('$set', items.map((item) => [stringify(item), item]).sort((a, b) => (a[0] < b[0] ? -1 : 1)).map((p) => p[1]));
  }],
  [types.isMap, function (value) {
    return this.dict([...value].map(([key, item]) => [typeof key === 'string' ? key : textOf(key), item]));
  }],
  [(value) => typeof value.next === 'function' && (value[Symbol.iterator] || value[Symbol.asyncIterator]),
    function (value) { return this.drained(value); }],
  [() => true, function (value) {
    return this.dict(keys(value).map((name) => [name, value[name]]).filter(([, item]) => item !== undefined));
  }],
];

class Encoder {
  constructor() {
    this.nodes = 0;
    this.above = new Set();
  }

  // The tagged value; rejects with what the value's own code throws.
  async encoded(value) {
    this.nodes += 1;
    if (value === null) return null;
    if (typeof value !== 'object') return PRIMITIVES[typeof value](value);
    if (this.above.has(value)) return opaque(typeName(value), '<circular>');
    if (this.above.size >= DEPTH || this.nodes > NODES) return opaque(typeName(value), '<too large>');
    this.above.add(value);
    try {
      return await OBJECTS.find(([fits]) => fits(value))[1].call(this, value);
    } finally {
      this.above.delete(value);
    }
  }

  // Promises are slow: what needs none of them is encoded at once.
  async list(items) {
    const made = [];
    for (let i = 0; i < items.length; i++) {
      const item = items[i];
      made.push(isPlain(item) ? PRIMITIVES[typeof item](item) : await this.encoded(item));
    }
    return made;
  }

  async dict(pairs) {
    const made = create(null);
    let escape = false;
    for (const [name, item] of pairs) {
      escape = escape || name[0] === '$';
      put(made, name, await this.encoded(item));
    }
    return escape ? tagged('$escape', made) : made;
  }

  async drained(items) {
    const found = [];
    const answer = tagged('$iterator', found);
    for await (const item of items) {
      if (found.length === DRAINED || this.nodes > NODES) {
        answer.more = true;
        break;
      }
      found.push(await this.encoded(item));
    }
    return answer;
  }
}

const isPlain = (item) => item !== null && typeof item !== 'object';

module.exports = { CUT, Encoder, CALLABLES, decoded, parse, stringify, textOf, typeName, getPrototypeOf };
