'use strict';

const LOCAL = /^[A-Za-z0-9_%+-]+(?:\.[A-Za-z0-9_%+-]+)*$/;
const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?$/;
const LAST_LABEL = /^[A-Za-z]{2,63}$/;
const LONGEST = 254;

function withoutOuterSpaces(text) {
  let [start, end] = [0, text.length];
  while (start < end && text[start] === ' ') start += 1;
  while (end > start && text[end - 1] === ' ') end -= 1;
  return text.slice(start, end);
}

function isDomain(domain) {
  const labels = domain.split('.');
  const last = labels.pop();
  const fits = labels.every((label) => label.length <= 63 && LABEL.test(label));
  return labels.length > 0 && fits && LAST_LABEL.test(last);
}

function normalEmail(text) {
  const trimmed = withoutOuterSpaces(text);
  const middle = trimmed.lastIndexOf('@');
  const address = trimmed.slice(0, middle) + trimmed.slice(middle).toLowerCase();
  const parts = address.split('@');
  if (address.length > LONGEST || parts.length !== 2) return null;
  const [local, domain] = parts;
  if (local.length > 64 || !LOCAL.test(local) || !isDomain(domain)) return null;
  return `${local}@${domain}`;
}

module.exports = { normalEmail };
