'use strict';

const MARK = /\*\*(.*)\*\*|\[([^\]]+)\]\((https?:\/\/[^ \t[\]()]*)\)/g;
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };

const escaped = (text) => text.replace(/[&<>"']/g, (character) => ENTITIES[character]);

function marked([, strong, words, address]) {
  if (strong !== undefined) return `<strong>${escaped(strong)}</strong>`;
  return `<a href="${escaped(address)}">${escaped(words)}</a>`;
}

function paragraph(line) {
  let html = '';
  let at = 0;
  for (const match of line.matchAll(MARK)) {
    html += escaped(line.slice(at, match.index)) + marked(match);
    at = match.index + match[0].length;
  }
  return `<p>${html}${escaped(line.slice(at))}</p>`;
}

function withoutOuterSpaces(line) {
  let [start, end] = [0, line.length];
  while (start < end && line[start] === ' ') start += 1;
  while (end > start && line[end - 1] === ' ') end -= 1;
  return line.slice(start, end);
}

function renderCard(title, text) {
  const lines = text.split('\n').map(withoutOuterSpaces);
  const body = lines.filter((line) => line !== '').map(paragraph).join('');
  return `<article><h2>${escaped(title)}</h2>${body}</article>`;
}

module.exports = { renderCard };
