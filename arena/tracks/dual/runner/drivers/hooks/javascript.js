'use strict';
// Hooks for JavaScript, loaded by --require before the program: arena/tracks/dual/runner/hooks.py says what the kinds mean.
// eval and new Function cannot be seen from here.

const fs = require('node:fs');
const Module = require('node:module');

const ROOT = `${process.env.ARENA_ROOT || '/srv'}/`;
const SEEN = process.env.ARENA_SEEN;
const SEED = process.env.ARENA_SEED;
const MOST = 200;
const MAX_STACKS = 2000;
const SHOWN = 300;
const { openSync, writeSync, closeSync, constants } = fs;
const { stringify } = JSON;
const { captureStackTrace } = Error;
const told = new Set();
let stacks = 0;

function frames(above) {
  const { prepareStackTrace, stackTraceLimit } = Error;
  const holder = {};
  try {
    Error.prepareStackTrace = (_, sites) => sites.map((site) => [String(site.getFileName() || ''), site.getLineNumber()]);
    Error.stackTraceLimit = 30;
    captureStackTrace(holder, above);
    return Array.isArray(holder.stack) ? holder.stack : [];
  } finally {
    Error.prepareStackTrace = prepareStackTrace;
    Error.stackTraceLimit = stackTraceLimit;
  }
}

const plain = (file) => (file.startsWith('file://') ? decodeURIComponent(file.slice(7)) : file);
const isOwn = (file) => file.startsWith(ROOT) && !file.includes('/node_modules/');
const isOurs = (file) => file === __filename;

// Where the candidate does it: in its own code or (`deep`) in what a library does for it.
function where(above, deep) {
  for (const [file, line] of frames(above)) {
    const name = plain(file);
    if (isOwn(name)) return `${name}:${line}`;
    if (!deep && name && !isOurs(name)) return '';
  }
  return '';
}

function tell(kind, what, place) {
  const cut = what.slice(0, SHOWN);
  const key = `${kind}\n${cut}\n${place}`;
  if (!place || told.has(key) || told.size >= MOST || !SEEN) return;
  told.add(key);
  const line = Buffer.from(`${stringify({ kind, what: cut, detail: place.slice(0, SHOWN) })}\n`);
  let pipe;
  try {
    pipe = openSync(SEEN, constants.O_WRONLY | constants.O_NONBLOCK);
    if (line.length < 4000) writeSync(pipe, line, 0, line.length);
  } catch {
    return; // nobody listens, or the pipe is full
  } finally {
    if (pipe !== undefined) closeSync(pipe);
  }
}

// Replaces owner[name]; what(args) is told, unless it is empty.
function wrap(owner, name, kind, what, deep = false) {
  const original = owner[name];
  const how = Object.getOwnPropertyDescriptor(owner, name);
  if (typeof original !== 'function' || !how || !how.writable) return;
  function noted(...args) {
    let said = '';
    try {
      said = stacks < MAX_STACKS ? what(args) : '';
      if (said) {
        stacks += 1;
        tell(kind, said, where(noted, deep));
      }
    } catch {
      said = ''; // what the program does must not fail for our reading of it
    }
    return new.target ? Reflect.construct(original, args, new.target === noted ? original : new.target) : Reflect.apply(original, this, args);
  }
  Object.defineProperties(noted, Object.getOwnPropertyDescriptors(original));
  owner[name] = noted;
}

// The "minimal standard" of Park and Miller (CACM 31, 1988): good enough for a program, and easy to repeat.
function seeded(seed) {
  let state = (seed % 2147483646) + 1;
  for (let i = 0; i < 10; i++) state = (state * 48271) % 2147483647; // small seeds begin alike
  return function random() {
    state = (state * 48271) % 2147483647;
    return (state - 1) / 2147483646;
  };
}

const text = (value) => (typeof value === 'string' ? value : '');

// parsers/weak_crypto.py as text: `name=value value;name=value`.
const WEAK = Object.fromEntries((process.env.ARENA_WEAK_CRYPTO || '').split(';').map((part) => part.split('=')));
const words = (name) => new Set((WEAK[name] || '').split(' ').filter(Boolean));
const BROKEN_HASHES = words('hashes');
const BROKEN_CIPHERS = words('ciphers');
const SOUND_IN_HMAC = words('sound-in-hmac');
const SCRYPT_USUAL_N = 16384; // of Node's scrypt without options

const plainHash = (name) => text(name).toLowerCase().replace(/[-_]/g, '').replace(/^rsa/, '');
const isBrokenCipher = (name) => BROKEN_CIPHERS.has(name.toLowerCase().split('-')[0]) || /-ecb$/i.test(name);
const isFixedVector = (vector) => ArrayBuffer.isView(vector) && vector.byteLength > 1
  && new Set(new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)).size === 1;
const cheap = (kind, cost) => (typeof cost === 'number' && cost > 0 && cost < Number(WEAK[kind]) ? `${kind} ${cost}` : '');

function patchCrypto(crypto) {
  for (const name of ['createHash', 'hash']) {
    wrap(crypto, name, 'weak-hash', ([hash]) => (BROKEN_HASHES.has(plainHash(hash)) ? text(hash).toLowerCase() : ''));
  }
  wrap(crypto, 'createHmac', 'weak-hash', ([hash]) => {
    const name = plainHash(hash);
    return BROKEN_HASHES.has(name) && !SOUND_IN_HMAC.has(name) ? `hmac ${hash}` : '';
  });
  for (const name of ['pbkdf2', 'pbkdf2Sync']) wrap(crypto, name, 'weak-hash', (args) => cheap('pbkdf2', args[2]));
  for (const name of ['scrypt', 'scryptSync']) {
    wrap(crypto, name, 'weak-hash', ([, , , options]) => cheap('scrypt', options?.N || options?.cost || SCRYPT_USUAL_N));
  }
  wrap(crypto, 'createCipheriv', 'weak-cipher', ([cipher, , vector]) => {
    if (isBrokenCipher(text(cipher))) return text(cipher);
    return isFixedVector(vector) ? `${text(cipher)} fixed IV or nonce` : '';
  });
}

function patchProcesses(processes) {
  for (const name of ['exec', 'execSync', 'execFile', 'execFileSync', 'spawn', 'spawnSync', 'fork']) {
    const said = ([command, words]) => `${name} ${[text(command), ...(Array.isArray(words) ? words.map(String) : [])].join(' ')}`;
    wrap(processes, name, 'spawn', said, true);
  }
}

function patchNetwork(net) {
  wrap(net.Socket.prototype, 'connect', 'connect', (args) => {
    const given = Array.isArray(args[0]) ? args[0][0] : args[0];
    if (given !== null && typeof given === 'object') return given.path || `${given.host || 'localhost'}:${given.port}`;
    return typeof given === 'number' || /^\d+$/.test(given) ? `${text(args[1]) || 'localhost'}:${given}` : text(given);
  }, true);
}

function patchMachines(vm) {
  for (const name of ['runInNewContext', 'runInContext', 'runInThisContext', 'compileFunction', 'Script']) {
    wrap(vm, name, 'eval', () => `vm.${name}`);
  }
}

const PATCHES = { crypto: patchCrypto, child_process: patchProcesses, net: patchNetwork, vm: patchMachines };

// A module of node is patched when it is first asked for; ES modules ask in another way, so that they need
// all of them at once.
function patch(name) {
  if (!PATCHES[name]) return;
  const apply = PATCHES[name];
  delete PATCHES[name];
  apply(original.call(Module, name, null, false));
  Module.syncBuiltinESMExports();
}

const original = Module._load;
const register = Module.register;

function needsAll(file) {
  try {
    return /\.m[jt]s$/.test(file) || /^\s*(?:import|export)\b/m.test(fs.readFileSync(file, 'utf8'));
  } catch {
    return true;
  }
}

function begin() {
  if (SEED !== undefined) Math.random = seeded(Number(SEED));
  wrap(Math, 'random', 'weak-random', () => 'Math.random');
  Module._load = function load(request, ...rest) {
    if (typeof request === 'string') patch(request.replace(/^node:/, ''));
    if (request === 'http' || request === 'https' || request === 'node:http' || request === 'node:https') patch('net');
    return Reflect.apply(original, this, [request, ...rest]);
  };
  const files = process.argv.slice(1).filter((name) => /\.[cm]?js$/.test(name));
  if (register && files.some(needsAll)) Object.keys(PATCHES).forEach(patch);
}

// V8 writes its coverage when the program ends by itself.
function endOnSignal() {
  process.on('SIGTERM', () => {
    if (process.listenerCount('SIGTERM') === 1) process.exit(143);
  });
}

if (SEEN || SEED !== undefined) begin();
if (process.env.ARENA_COVERAGE) endOnSignal();
