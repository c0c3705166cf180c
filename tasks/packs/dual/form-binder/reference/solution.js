'use strict';

const CONTROL = /[\x00-\x1f\x7f]/;
const CONTROL_BUT_LINES = /[\x00-\x09\x0b-\x1f\x7f]/;

const lengthOf = (text) => Array.from(text).length;

function withoutOuterSpaces(text) {
  let [start, end] = [0, text.length];
  while (start < end && text[start] === ' ') start += 1;
  while (end > start && text[end - 1] === ' ') end -= 1;
  return text.slice(start, end);
}

// Reads one line of so many characters.
function line(least, most) {
  return (text) => {
    const stripped = withoutOuterSpaces(text);
    const length = lengthOf(stripped);
    return length >= least && length <= most && !CONTROL.test(text) ? stripped : null;
  };
}

const FIELDS = new Map([
  ['name', line(1, 60)],
  ['city', line(0, 60)],
  ['about', (text) => (lengthOf(text) <= 500 && !CONTROL_BUT_LINES.test(text) ? text : null)],
  ['news', (text) => (text === 'yes' || text === 'no' ? text : null)],
]);

function updateMember(member, form) {
  const updated = { ...member };
  for (const [field, read] of FIELDS) {
    if (!Object.hasOwn(form, field)) continue;
    const value = read(form[field]);
    if (value === null) return null;
    updated[field] = value;
  }
  return updated;
}

module.exports = { updateMember };
