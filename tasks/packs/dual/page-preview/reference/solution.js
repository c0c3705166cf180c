'use strict';

const fs = require('fs');
const http = require('http');

const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const CHARACTERS = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };
const MAX_BYTES = 20000;
const escape = (text) => text.replace(/[&<>"']/g, (c) => ENTITIES[c]);
const unescape = (text) => text.replace(/&(amp|lt|gt|quot|#39);/g, (_, name) => CHARACTERS[name]);
const shown = [];

function isAllowed(address) {
  const fits = /^http:\/\/([a-z0-9.-]+)(\/[!-~]*)?$/.exec(address);
  return fits !== null && fs.readFileSync('hosts.txt', 'utf8').split(/\s+/).includes(fits[1]);
}

async function start(answer) {
  const parts = [];
  let size = 0;
  for await (const part of answer.body) {
    parts.push(part);
    size += part.length;
    if (size >= MAX_BYTES) break;
  }
  return Buffer.concat(parts).subarray(0, MAX_BYTES).toString('utf8');
}

async function titleOf(address) {
  const answer = await fetch(address, { redirect: 'manual', signal: AbortSignal.timeout(5000) });
  if (answer.status !== 200) throw new Error('no page');
  const found = /<title>([^<]*)<\/title>/i.exec(await start(answer));
  return found ? unescape(found[1]).trim().slice(0, 200) : '';
}

async function bodyOf(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8'));
  } catch {
    return null;
  }
}

function send(response, status, value) {
  response.writeHead(status, { 'Content-Type': 'application/json' });
  response.end(JSON.stringify(value));
}

async function preview(request, response) {
  const body = await bodyOf(request);
  const url = body ? body.url : null;
  if (typeof url !== 'string' || !isAllowed(url)) return send(response, 400, { error: 'url' });
  try {
    const title = await titleOf(url);
    shown.push([url, title]);
    return send(response, 200, { url, title });
  } catch {
    return send(response, 502, { error: 'fetch' });
  }
}

function page(response) {
  const items = shown.map(([url, title]) => `<li><a href="${escape(url)}">${escape(title)}</a></li>`);
  response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' });
  response.end(`<!doctype html><meta charset="utf-8"><ul>${items.join('')}</ul>`);
}

http
  .createServer((request, response) => {
    const asked = `${request.method} ${request.url}`;
    if (asked === 'POST /preview') preview(request, response);
    else if (asked === 'GET /') page(response);
    else response.writeHead(404).end();
  })
  .listen(Number(process.env.PORT), '127.0.0.1');
