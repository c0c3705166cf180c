'use strict';

const crypto = require('crypto');
const fs = require('fs');
const http = require('http');

const KINDS = { title: 'string', text: 'string', shared: 'boolean' };
const MAX_BODY = 8000;
const namesByToken = new Map();
const notes = new Map();
let last = 0;

class Refused extends Error {
  constructor(status, error) {
    super(error);
    this.status = status;
  }
}

function passwords() {
  const lines = fs.readFileSync('members.txt', 'utf8').split('\n').filter((line) => line.includes(':'));
  return new Map(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 1)]));
}

function alike(one, other) {
  const [a, b] = [Buffer.from(one), Buffer.from(other)];
  return a.length === b.length && crypto.timingSafeEqual(a, b);
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
    const found = JSON.parse(Buffer.concat(parts).toString('utf8'));
    return found !== null && typeof found === 'object' && !Array.isArray(found) ? found : {};
  } catch {
    return {};
  }
}

function user(request) {
  const fits = /^Bearer (.*)$/.exec(request.headers.authorization ?? '');
  const name = fits ? namesByToken.get(fits[1]) : undefined;
  if (name === undefined) throw new Refused(401, 'token');
  return name;
}

function fields(given, needed) {
  const names = Object.keys(KINDS).filter((name) => Object.hasOwn(given, name));
  const found = Object.fromEntries(names.map((name) => [name, given[name]]));
  const length = [...String(found.title ?? 'x')].length;
  const wrong = names.some((name) => typeof found[name] !== KINDS[name]);
  const lacking = needed.some((name) => !names.includes(name));
  if (wrong || lacking || length < 1 || length > 100) throw new Refused(400, 'note');
  return found;
}

function visible(name, note) {
  return note !== undefined && (note.owner === name || note.shared);
}

function own(name, number) {
  const note = notes.get(number);
  if (note === undefined || note.owner !== name) throw new Refused(404, 'note');
  return note;
}

function login({ name, password }) {
  const known = typeof name === 'string' && typeof password === 'string';
  const expected = known ? passwords().get(name) : undefined;
  if (expected === undefined || !alike(expected, password)) throw new Refused(401, 'login');
  const token = crypto.randomBytes(24).toString('hex');
  namesByToken.set(token, name);
  return [200, { token }];
}

function add(owner, body) {
  const note = { id: last + 1, owner, shared: false, ...fields(body, ['title', 'text']) };
  last += 1;
  notes.set(note.id, note);
  return [201, note];
}

function index(name, word) {
  const found = [...notes.values()]
    .filter((note) => visible(name, note))
    .filter((note) => note.title.includes(word) || note.text.includes(word));
  return [200, { notes: found.map(({ id, owner, title }) => ({ id, owner, title })) }];
}

const ONE = {
  GET(name, number) {
    const note = notes.get(number);
    if (!visible(name, note)) throw new Refused(404, 'note');
    return [200, note];
  },
  PATCH: (name, number, body) => [200, Object.assign(own(name, number), fields(body, []))],
  DELETE(name, number) {
    notes.delete(own(name, number).id);
    return [204, null];
  },
};

async function answer(request) {
  const url = new URL(request.url, 'http://localhost');
  const body = await bodyOf(request);
  const asked = `${request.method} ${url.pathname}`;
  if (asked === 'POST /login') return login(body);
  const name = user(request);
  if (asked === 'POST /notes') return add(name, body);
  if (asked === 'GET /notes') return index(name, url.searchParams.get('word') ?? '');
  const path = /^\/notes\/([0-9]{1,15})$/.exec(url.pathname);
  if (!path || !Object.hasOwn(ONE, request.method)) throw new Refused(404, 'note');
  return ONE[request.method](name, Number(path[1]), body);
}

http
  .createServer(async (request, response) => {
    let [status, value] = [500, { error: 'service' }];
    try {
      [status, value] = await answer(request);
    } catch (error) {
      if (error instanceof Refused) [status, value] = [error.status, { error: error.message }];
      else console.error(error);
    }
    response.writeHead(status, { 'Content-Type': 'application/json' });
    response.end(value === null ? '' : JSON.stringify(value));
  })
  .listen(Number(process.env.PORT), '127.0.0.1');
