'use strict';
// Driver for JavaScript: loads a candidate from its file and makes the calls that come over the channel.
//
//     node call.js FILE ENTRY...
//
// The protocol is in the package's docstring (__init__.py). The file may be a CommonJS or an ES module, or a
// plain script: what it declares at top level is reached by text that is appended when it is compiled.

const fs = require('node:fs');
const Module = require('node:module');
const path = require('node:path');
const vm = require('node:vm');
const { pathToFileURL } = require('node:url');
const { CUT, Encoder, decoded, parse, stringify, textOf, typeName, getPrototypeOf } = require('./call_values.js');
const { Names, fitted } = require('./call_names.js');

const REACH = '__arena_reach';
const DECLARED = /^(?:export\s+(?:default\s+)?)?(?:async\s+)?(?:function\s*\*?|class|const|let|var)\s+([\p{ID_Start}$_][\p{ID_Continue}$]*)/gmu;
const ES_MODULE = /import statement outside a module|Unexpected token 'export'|import\.meta|await is only valid|Unexpected identifier|missing \) after argument list/;
const ES_TEXT = /^\s*(?:import\b|export\b)|\bimport\.meta\b|^\s*(?:const|let|var)?.*\bawait\b/m;
const MISSING = /Cannot find (?:module|package) '([^']*)'/;
const { exit } = process;

class NotLoaded extends Error {
  constructor(kind, error, text, name = '') {
    super(text || (error ? textOf(error && error.message) : ''));
    this.answer = { kind, type: error ? typeName(error) : '', text: this.message.slice(0, CUT), name };
  }
}

// The channel's descriptors go where no program looks by accident; without /proc they stay.
function moved(number, flags) {
  try {
    const other = fs.openSync(`/proc/self/fd/${number}`, flags);
    fs.closeSync(number);
    return other;
  } catch {
    return number;
  }
}

class Channel {
  constructor() {
    const [reading, writing] = process.env.ARENA_CHANNEL.split(',').map(Number);
    delete process.env.ARENA_CHANNEL;
    this.reading = moved(reading, 'r');
    this.writing = moved(writing, 'w');
    this.waiting = '';
    this.decoder = new (require('node:string_decoder').StringDecoder)('utf8');
    this.read = fs.read;
    this.write = fs.writeSync;
  }

  send(answer) {
    const line = Buffer.from(`${stringify(answer)}\n`, 'utf8');
    for (let at = 0; at < line.length;) at += this.write(this.writing, line, at, line.length - at);
  }

  // -> one line, or undefined at the end.
  async line() {
    const chunk = Buffer.allocUnsafe(65536);
    for (;;) {
      const end = this.waiting.indexOf('\n');
      if (end >= 0) {
        const line = this.waiting.slice(0, end);
        this.waiting = this.waiting.slice(end + 1);
        return line;
      }
      const count = await new Promise((done) => {
        this.read(this.reading, chunk, 0, chunk.length, null, (error, n) => done(error ? 0 : n));
      });
      if (!count) return undefined;
      this.waiting += this.decoder.write(chunk.subarray(0, count));
    }
  }
}

function reachText(source) {
  const names = new Set([...source.matchAll(DECLARED)].map((match) => match[1]));
  const members = [...names].map((name) => `${stringify(name)}: () => typeof ${name} === 'undefined' ? undefined : ${name}`);
  return `({ __proto__: null, ${members.join(', ')} })`;
}

function syntaxError(source, file) {
  try {
    new vm.Script(Module.wrap(source), { filename: file });
    return undefined;
  } catch (error) {
    return error;
  }
}

function loadCommon(source, file) {
  const module = new Module(file, null);
  module.filename = file;
  module.paths = Module._nodeModulePaths(path.dirname(file));
  Module._cache[file] = module;
  const appended = `${source}\n;module.${REACH} = ${reachText(source)};`;
  module._compile(syntaxError(appended, file) ? source : appended, file);
  module.loaded = true;
  return new Names(module.exports, module[REACH] || {});
}

// An ES module is loaded under its own name, with what it declares exported besides.
async function loadModule(source, file) {
  const url = pathToFileURL(file).href;
  const appended = `${source}\n;export const ${REACH} = ${reachText(source)};`;
  const loader = `export async function load(url, context, next) {
    return url === ${stringify(url)}
      ? { format: 'module', source: ${stringify(appended)}, shortCircuit: true } : next(url, context);
  }`;
  Module.register(`data:text/javascript,${encodeURIComponent(loader)}`);
  const space = await import(url);
  const exported = {};
  for (const name of Object.keys(space)) {
    if (name !== REACH && name !== 'default') exported[name] = space[name];
  }
  const given = space.default;
  if (typeof given === 'function' && !Object.keys(exported).length) return new Names(given, space[REACH]);
  if (typeof given === 'function') exported[given.name || 'default'] = given;
  else if (given && typeof given === 'object') Object.assign(exported, given);
  return new Names(exported, space[REACH]);
}

async function load(file) {
  let source = fs.readFileSync(file, 'utf8').replace(/^\ufeff/, '');
  if (source.startsWith('#!')) source = `//${source.slice(2)}`;
  process.argv = [process.argv[0], file];
  const wrong = syntaxError(source, file);
  const isModule = file.endsWith('.mjs') || (wrong && (ES_MODULE.test(wrong.message) && ES_TEXT.test(source)));
  if (wrong && !isModule) throw new NotLoaded('syntax-error', wrong);
  try {
    return isModule ? await loadModule(source, file) : loadCommon(source, file);
  } catch (error) {
    const missing = MISSING.exec(textOf(error && error.message));
    if (missing) throw new NotLoaded('missing-dependency', error, '', missing[1]);
    // Of an ES module the text is only now compiled.
    const kind = isModule && error instanceof SyntaxError && !String(error.stack).includes('\n    at JSON') ? 'syntax-error' : 'import-error';
    throw new NotLoaded(kind, error);
  }
}

function thrown(error) {
  if (error === null || typeof error !== 'object') {
    return { raised: error === null ? 'null' : typeof error, bases: [], text: textOf(error) };
  }
  const names = [];
  for (let at = getPrototypeOf(error); at && at !== Object.prototype && names.length < 20; at = getPrototypeOf(at)) {
    names.push(typeName(at));
  }
  let text;
  try {
    text = textOf(error.message === undefined ? error : error.message);
  } catch {
    text = '<cannot be shown>';
  }
  return { raised: names[0] || 'Object', bases: names.slice(1), text };
}

async function called(entry, request) {
  try {
    const args = (request.args || []).map(decoded);
    const kwargs = decoded({ $escape: request.kwargs || {} });
    const result = await entry.call(...fitted(entry.shape, args, kwargs));
    return { value: await new Encoder().encoded(result) };
  } catch (error) {
    return thrown(error);
  }
}

function entries(names, asked) {
  const found = new Map();
  for (const name of asked) {
    const entry = names.find(name, asked.length === 1);
    if (!entry) {
      const there = names.public().slice(0, 20).join(', ') || 'none';
      throw new NotLoaded('no-entry-point', undefined, `no function ${name}; there are: ${there}`, name);
    }
    found.set(name, entry);
  }
  return found;
}

async function main(file, asked) {
  const channel = new Channel();
  let found;
  let names;
  try {
    names = await load(path.resolve(file));
    found = entries(names, asked);
  } catch (error) {
    channel.send({ failed: error instanceof NotLoaded ? error.answer : new NotLoaded('import-error', error).answer });
    return;
  }
  channel.send({ ready: true, names: Object.fromEntries([...found].map(([name, entry]) => [name, entry.name])) });
  for (let line = await channel.line(); line !== undefined; line = await channel.line()) {
    const request = parse(line);
    const entry = found.get(request.call) || names.find(request.call, false);
    const unknown = { raised: 'ReferenceError', bases: ['Error'], text: `no function ${request.call}` };
    channel.send(entry ? await called(entry, request) : unknown);
  }
}

main(process.argv[2], process.argv.slice(3)).then(() => exit(0));
