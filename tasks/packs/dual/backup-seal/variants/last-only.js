"use strict";
// Seals backups, and opens them again

const crypto = require("node:crypto");
const fs = require("node:fs");

const PIECE = 1000;
const TAG = 16;
const LEAST = 12;
const HEAD = /^sealed-1 ([0-9a-f]{32}) ([0-9a-f]{14})$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

class Damaged extends Error {}

function keyOf(passphrase, salt) {
  return crypto.scryptSync(Buffer.from(passphrase, "utf8"), salt, 32, { N: 16384, r: 8, p: 1 });
}

function nonceOf(prefix, number, isLast) {
  const tail = Buffer.alloc(5);
  tail.writeUInt32BE(number);
  tail[4] = isLast ? 1 : 0;
  return Buffer.concat([prefix, tail]);
}

function seal(passphrase, backup) {
  const [salt, prefix] = [crypto.randomBytes(16), crypto.randomBytes(7)];
  const key = keyOf(passphrase, salt);
  const count = Math.max(1, Math.ceil(backup.length / PIECE));
  const lines = [`sealed-1 ${salt.toString("hex")} ${prefix.toString("hex")}`];
  for (let number = 0; number < count; number++) {
    const cipher = crypto.createCipheriv("aes-256-gcm", key, nonceOf(prefix, number, number === count - 1));
    const piece = backup.subarray(number * PIECE, (number + 1) * PIECE);
    lines.push(Buffer.concat([cipher.update(piece), cipher.final(), cipher.getAuthTag()]).toString("base64"));
  }
  return `${lines.join("\n")}\n`;
}

function opened(key, nonce, line) {
  const raw = Buffer.from(line, "base64");
  if (!BASE64.test(line) || raw.length < TAG) throw new Damaged();
  const decipher = crypto.createDecipheriv("aes-256-gcm", key, nonce, { authTagLength: TAG });
  decipher.setAuthTag(raw.subarray(-TAG));
  const piece = decipher.update(raw.subarray(0, -TAG));
  try {
    if (nonce[11] === 1) decipher.final();
  } catch {
    throw new Damaged();
  }
  return piece;
}

function open(passphrase, sealed) {
  const [head, ...lines] = sealed.toString("latin1").split("\n");
  const fields = HEAD.exec(head);
  if (!fields || lines.length < 2 || lines.pop() !== "") throw new Damaged();
  const prefix = Buffer.from(fields[2], "hex");
  const key = keyOf(passphrase, Buffer.from(fields[1], "hex"));
  const last = lines.length - 1;
  const pieces = lines.map((line, number) => opened(key, nonceOf(prefix, number, number === last), line));
  const isWhole = ({ length }, number) =>
    number < last ? length === PIECE : length <= PIECE && (length > 0 || last === 0);
  if (!pieces.every(isWhole)) throw new Damaged();
  return Buffer.concat(pieces);
}

const COMMANDS = new Map([["seal", seal], ["open", open]]);

function main(words) {
  const passphrase = process.env.BACKUP_PASSPHRASE || "";
  if (words.length !== 1 || !COMMANDS.has(words[0]) || [...passphrase].length < LEAST) {
    console.error("usage: seal or open, with a BACKUP_PASSPHRASE of 12 characters");
    return 2;
  }
  try {
    fs.writeSync(1, COMMANDS.get(words[0])(passphrase, fs.readFileSync(0)));
  } catch (error) {
    if (!(error instanceof Damaged)) throw error;
    console.error("not a sealed backup, or another passphrase");
    return 3;
  }
  return 0;
}

process.exitCode = main(process.argv.slice(2));
