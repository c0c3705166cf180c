'use strict';
// Which function of a candidate a task means, and how arguments given by name are passed to it.

const OPTIONS = new Set(['options', 'opts', 'data', 'input', 'payload', 'params', 'args', 'config', 'request', 'body']);
const CLASS = /^class\b/;
const toText = Function.prototype.call.bind(Function.prototype.toString);
const { getOwnPropertyNames, getPrototypeOf, keys, values } = Object;

const folded = (name) => name.replaceAll('_', '').toLowerCase();
const isFunction = (value) => typeof value === 'function';
const isClass = (value) => isFunction(value) && CLASS.test(toText(value));
const isObject = (value) => value !== null && typeof value === 'object';

function methodNames(object) {
  const names = [];
  for (let at = object; at && at !== Object.prototype && at !== Function.prototype; at = getPrototypeOf(at)) {
    names.push(...getOwnPropertyNames(at));
  }
  return names.filter((name) => name !== 'constructor');
}

class Names {
  // exported: what the module gives out; reach: name -> () => value, of all it declares at top level.
  constructor(exported, reach) {
    this.exported = exported;
    this.reach = reach;
    this.objects = new Map();
  }

  // -> {name, call}, or undefined. alone: it is the only name asked for.
  find(asked, alone) {
    for (const alike of [(name) => name === asked, (name) => folded(name) === folded(asked)]) {
      const found = this.given(alike) || this.declared(alike) || this.method(alike, asked);
      if (found) return found;
    }
    return alone ? this.only() : undefined;
  }

  given(alike) {
    const { exported } = this;
    if (isFunction(exported) && alike(exported.name)) return this.entry(exported.name, exported);
    if (!isFunction(exported) && !isObject(exported)) return undefined;
    const name = methodNames(exported).find((n) => alike(n) && isFunction(exported[n]));
    return name === undefined ? undefined : this.entry(name, exported[name], exported);
  }

  declared(alike) {
    for (const name of keys(this.reach)) {
      if (alike(name) && isFunction(this.value(name))) return this.entry(name, this.value(name));
    }
    return undefined;
  }

  value(name) {
    try {
      return this.reach[name]();
    } catch {
      return undefined; // declared, but never reached
    }
  }

  method(alike, asked) {
    const [owner, member] = asked.includes('.') ? asked.split('.') : [undefined, undefined];
    for (const holder of this.holders(owner)) {
      const object = this.objectOf(holder);
      const fits = member === undefined ? alike : (name) => name === member;
      for (const place of [object, holder]) {
        const name = place && methodNames(place).find((n) => fits(n) && isFunction(place[n]));
        if (name) return { name: `${holder.name || owner}.${name}`, call: (...args) => place[name](...args), shape: place[name] };
      }
    }
    return undefined;
  }

  holders(owner) {
    const { exported } = this;
    const all = [exported, ...(isFunction(exported) || isObject(exported) ? values(exported) : [])];
    all.push(...keys(this.reach).map((name) => this.value(name)));
    return all.filter((value) => (owner === undefined ? isClass(value) || isObject(value) : value && value.name === owner));
  }

  // The one object of a class, kept from call to call.
  objectOf(holder) {
    if (!isClass(holder)) return holder;
    if (!this.objects.has(holder)) {
      let made;
      try {
        made = new holder();
      } catch {
        made = undefined; // it cannot be made without arguments
      }
      this.objects.set(holder, made);
    }
    return this.objects.get(holder);
  }

  only() {
    const names = this.public();
    if (isFunction(this.exported) && !isClass(this.exported)) return this.entry(this.exported.name || 'default', this.exported);
    if (names.length !== 1) return undefined;
    return this.given((name) => name === names[0]) || this.declared((name) => name === names[0]);
  }

  public() {
    const { exported } = this;
    const given = isObject(exported) ? methodNames(exported).filter((n) => isFunction(exported[n])) : [];
    const all = given.length ? given : keys(this.reach).filter((name) => isFunction(this.value(name)));
    return all.filter((name) => name[0] !== '_' && !isClass(isObject(exported) && exported[name]) && !isClass(this.reach[name] && this.value(name)));
  }

  entry(name, value, holder) {
    const call = isClass(value) ? (...args) => new value(...args) : (...args) => Reflect.apply(value, holder, args);
    return { name, call, shape: value };
  }
}

const OPEN = '([{';
const CLOSE = ')]}';

// The text between the parentheses of a function's parameters, without comments.
function parameterText(text) {
  const bare = text.replace(/\/\*[^]*?\*\/|\/\/[^\n]*/g, '');
  const arrow = /^(?:async\s*)?([\p{ID_Start}$_][\p{ID_Continue}$]*)\s*=>/u.exec(bare);
  if (arrow) return arrow[1];
  const from = bare.indexOf('(', CLASS.test(bare) ? Math.max(0, bare.search(/\bconstructor\s*\(/)) : 0);
  return from < 0 ? '' : bare.slice(from + 1);
}

// -> names of the parameters; "{" for one that is destructured.
function parameters(shape) {
  const names = [];
  let depth = 0;
  let word = '';
  for (const letter of parameterText(toText(shape)).slice(0, 10000)) {
    if (depth === 0 && (letter === ')' || letter === ',')) {
      if (word.trim()) names.push(word);
      word = '';
      if (letter === ')') break;
      continue;
    }
    if (OPEN.includes(letter)) depth += 1;
    if (CLOSE.includes(letter)) depth -= 1;
    word += letter;
  }
  if (word.trim()) names.push(word);
  return names.map((text) => {
    const start = text.trim();
    return start[0] === '{' ? '{' : start.replace(/^\.\.\./, '').split('=')[0].trim();
  });
}

// args and kwargs as one list of arguments: by name, as one object, or in the order given.
function fitted(shape, args, kwargs) {
  const given = keys(kwargs);
  if (!given.length) return args;
  const names = parameters(shape).slice(args.length);
  const places = given.map((name) => {
    const exact = names.indexOf(name);
    return exact >= 0 ? exact : names.findIndex((n) => folded(n) === folded(name));
  });
  if (places.every((place) => place >= 0)) {
    const made = new Array(Math.max(...places) + 1).fill(undefined);
    places.forEach((place, i) => { made[place] = kwargs[given[i]]; });
    return [...args, ...made];
  }
  const object = names.findIndex((name) => name === '{' || (given.length > 1 && OPTIONS.has(name.toLowerCase())));
  if (object >= 0) return [...args, ...byName(names, object, given, kwargs)];
  return [...args, ...values(kwargs)];
}

// Some parameters by name, and one that takes all the others as an object.
function byName(names, object, given, kwargs) {
  const rest = {};
  const made = [];
  for (const name of given) {
    const place = names.findIndex((n) => folded(n) === folded(name));
    if (place >= 0) made[place] = kwargs[name];
    else rest[name] = kwargs[name];
  }
  made[object] = rest;
  return Array.from(made);
}

module.exports = { Names, fitted, parameters };
