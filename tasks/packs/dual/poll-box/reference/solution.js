'use strict';

const crypto = require('crypto');
const http = require('http');

const MAX_BODY = 8000;
const ENTITIES = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' };
const escape = (text) => text.replace(/[&<>"']/g, (c) => ENTITIES[c]);
const polls = new Map();

class Refused extends Error {
  constructor(status, error) {
    super(error);
    this.status = status;
  }
}

async function bodyOf(request) {
  const parts = [];
  let size = 0;
  for await (const part of request) {
    size += part.length;
    if (size <= MAX_BODY) parts.push(part);
  }
  if (size > MAX_BODY) throw new Refused(413, 'size');
  try {
    return JSON.parse(Buffer.concat(parts).toString('utf8')) ?? {};
  } catch {
    return {};
  }
}

function isText(value, most) {
  return typeof value === 'string' && value !== '' && [...value].length <= most;
}

function isChair(poll, request) {
  const [given, key] = [Buffer.from(request.headers['x-chair'] ?? ''), Buffer.from(poll.chair)];
  return given.length === key.length && crypto.timingSafeEqual(given, key);
}

function areOptions(options) {
  if (!Array.isArray(options) || options.length < 2 || options.length > 10) return false;
  return options.every((one) => isText(one, 60)) && new Set(options).size === options.length;
}

function ask({ question, options, voters }) {
  if (!isText(question, 200)) throw new Refused(400, 'question');
  if (!areOptions(options)) throw new Refused(400, 'options');
  if (!Number.isInteger(voters) || voters < 1 || voters > 50) throw new Refused(400, 'voters');
  const tickets = Array.from({ length: voters }, () => crypto.randomBytes(12).toString('hex'));
  const [id, chair] = [polls.size + 1, crypto.randomBytes(16).toString('hex')];
  const choices = new Map(tickets.map((ticket) => [ticket, null]));
  polls.set(id, { question, options, chair, choices, open: true });
  return { status: 201, json: { id, chair, tickets } };
}

function vote(poll, { ticket, option }) {
  if (!poll.choices.has(ticket)) throw new Refused(403, 'ticket');
  if (!poll.open) throw new Refused(409, 'closed');
  if (poll.choices.get(ticket) !== null) throw new Refused(409, 'voted');
  if (!poll.options.includes(option)) throw new Refused(400, 'option');
  poll.choices.set(ticket, option);
  return { status: 204 };
}

function close(poll, _, request) {
  if (!isChair(poll, request)) throw new Refused(403, 'chair');
  poll.open = false;
  return { status: 204 };
}

function result(poll, _, request) {
  if (poll.open && !isChair(poll, request)) throw new Refused(403, 'chair');
  const cast = [...poll.choices.values()];
  return { json: { result: poll.options.map((one) => [one, cast.filter((other) => other === one).length]) } };
}

function page({ question, options }) {
  const items = options.map(escape).map(
    (one) => `<label><input type="radio" name="option" value="${one}">${one}</label>`,
  );
  const html = `<!doctype html><meta charset="utf-8"><title>Poll</title>
<h1>${escape(question)}</h1><form>${items.join('')}</form>`;
  return { html };
}

const ACTS = { 'POST /votes': vote, 'POST /close': close, 'GET /result': result, 'GET ': page };

async function answer(request) {
  const path = request.url.split('?')[0];
  const body = await bodyOf(request);
  if (request.method === 'POST' && path === '/polls') return ask(body);
  const fits = /^\/polls\/([0-9]{1,15})(\/[a-z]+)?$/.exec(path);
  const act = fits ? ACTS[`${request.method} ${fits[2] ?? ''}`] : undefined;
  const poll = fits ? polls.get(Number(fits[1])) : undefined;
  if (act === undefined || poll === undefined) throw new Refused(404, 'unknown');
  return act(poll, body, request);
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
    const kind = found.html ? 'text/html; charset=utf-8' : 'application/json';
    response.writeHead(found.status ?? 200, { 'Content-Type': kind });
    response.end(found.html ?? (found.json ? JSON.stringify(found.json) : ''));
  })
  .listen(Number(process.env.PORT), '127.0.0.1');
