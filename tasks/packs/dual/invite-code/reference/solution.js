"use strict";
// Codes on invitation cards

const crypto = require("node:crypto");

const ALPHABET = "23456789ABCDEFGHJKLMNPQRSTUVWXYZ";
const SIGNS = 11;
const MOST = 1000;
const LONGEST = 100;
const valueOf = new Map();
[...ALPHABET].forEach((sign, value) => {
  valueOf.set(sign, value);
  valueOf.set(sign.toLowerCase(), value);
});

function checkValue(values) {
  return values.reduce((sum, value, place) => sum + (2 * place + 1) * value, 0) % 32;
}

function written(values) {
  return values.map((value) => ALPHABET[value]).join("").match(/.{4}/g).join("-");
}

function newCode() {
  const values = Array.from({ length: SIGNS }, () => crypto.randomInt(ALPHABET.length));
  return written([...values, checkValue(values)]);
}

function make_codes(count) {
  if (!Number.isInteger(count) || count < 1 || count > MOST) return null;
  const codes = new Set();
  while (codes.size < count) codes.add(newCode());
  return [...codes];
}

function read_code(text) {
  if (typeof text !== "string" || text.length > LONGEST) return null;
  const values = [...text].filter((sign) => sign !== " " && sign !== "-").map((sign) => valueOf.get(sign));
  if (values.length !== SIGNS + 1 || values.includes(undefined)) return null;
  return checkValue(values.slice(0, SIGNS)) === values[SIGNS] ? written(values) : null;
}

module.exports = { make_codes, read_code };
