'use strict';

const DEEPEST = 100;

const isContainer = (value) => typeof value === 'object' && value !== null;
const isObject = (value) => isContainer(value) && !Array.isArray(value);

// Whether objects and arrays are nested at most DEEPEST deep, and all numbers are finite.
function isFine(value) {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (level.some((item) => typeof item === 'number' && !Number.isFinite(item))) return false;
    level = level.filter(isContainer);
    if (level.length > 0 && depth === DEEPEST) return false;
    level = level.flatMap((item) => Object.values(item));
  }
  return true;
}

// The object of a text, or null.
function read(text) {
  let value;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  return isObject(value) && isFine(value) ? value : null;
}

function merged(base, extra) {
  const values = new Map(Object.entries(base));
  for (const [key, value] of Object.entries(extra)) {
    const old = values.get(key);
    if (old !== undefined && !isObject(old)) continue;
    values.set(key, isObject(old) && isObject(value) ? merged(old, value) : value);
  }
  return Object.fromEntries(values);
}

function mergeSettings(defaults, changes) {
  const base = read(defaults);
  const extra = read(changes);
  return merged(base ?? {}, extra ?? {});
}

function setting(text, path) {
  let value = read(text);
  for (const key of path.split('.')) {
    if (!isContainer(value)) return null;
    value = value[key];
  }
  return value;
}

module.exports = { mergeSettings, setting };
