'use strict';

const crypto = require('crypto');
const http = require('http');

const ADDRESS = /^https?:\/\/[!-~]{1,500}$/;
const CODE = /^[a-z0-9-]{3,30}$/;
const OWN = ['links'];
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escape = (text) => text.replace(/[&<>"']/g, (c) => ENTITIES[c]);
const links = new Map();

class Refused extends Error {
  constructor(status, error) {
    super(error);
    this.status = status;
  }
}

async function bodyOf(request) {
  const parts = [];
  for await (const part of request) parts.push(part);
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8')) ?? {};
  } catch {
    return {};
  }
}

function known(code) {
  const link = links.get(code);
  if (link === undefined) throw new Refused(404, 'unknown');
  return link;
}

function owned(code, request) {
  const link = known(code);
  const [given, key] = [Buffer.from(request.headers['x-key'] ?? ''), Buffer.from(link.key)];
  if (given.length !== key.length || !crypto.timingSafeEqual(given, key)) throw new Refused(403, 'key');
  return link;
}

function add({ url, code = crypto.randomBytes(4).toString('hex') }) {
  if (typeof url !== 'string' || !ADDRESS.test(url)) throw new Refused(400, 'url');
  if (typeof code !== 'string' || !CODE.test(code)) throw new Refused(400, 'code');
  if (links.has(code) || OWN.includes(code)) throw new Refused(409, 'taken');
  const key = crypto.randomBytes(20).toString('hex');
  links.set(code, { url, key, visits: 0 });
  return { status: 201, json: { code, key } };
}

function follow(code) {
  const link = known(code);
  link.visits += 1;
  return { status: 302, headers: { Location: link.url } };
}

function page(code) {
  const address = escape(known(code).url);
  return {
    headers: { 'Content-Type': 'text/html; charset=utf-8' },
    text: `<!doctype html><meta charset="utf-8"><title>${code}</title>
<p>This link leads to <a href="${address}">${address}</a></p>`,
  };
}

function figures(code, request) {
  const { url, visits } = owned(code, request);
  return { json: { url, visits } };
}

function remove(code, request) {
  owned(code, request);
  links.delete(code);
  return { status: 204 };
}

const ROUTES = [
  ['POST', /^\/(links)$/, async (_, request) => add(await bodyOf(request))],
  ['GET', /^\/links\/([a-z0-9-]+)\/page$/, page],
  ['GET', /^\/links\/([a-z0-9-]+)$/, figures],
  ['DELETE', /^\/links\/([a-z0-9-]+)$/, remove],
  ['GET', /^\/([a-z0-9-]+)$/, follow],
];

async function answer(request) {
  const path = request.url.split('?')[0];
  for (const [method, pattern, act] of ROUTES) {
    const fits = request.method === method && pattern.exec(path);
    if (fits) return act(fits[1], request);
  }
  throw new Refused(404, 'unknown');
}

http
  .createServer(async (request, response) => {
    let found = { status: 500, json: { error: 'service' } };
    try {
      found = await answer(request);
    } catch (error) {
      if (error instanceof Refused) found = { status: error.status, json: { error: error.message } };
      else console.error(error);
    }
    const kind = found.json ? { 'Content-Type': 'application/json' } : {};
    response.writeHead(found.status ?? 200, { ...kind, ...found.headers });
    response.end(found.json ? JSON.stringify(found.json) : found.text ?? '');
  })
  .listen(Number(process.env.PORT), '127.0.0.1');
