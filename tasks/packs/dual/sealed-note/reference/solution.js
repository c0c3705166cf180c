"use strict";
// Notes that are sealed with AES-256-GCM

const crypto = require("node:crypto");

const VERSION = Buffer.from([1]);
const NONCE = 12;
const TAG = 16;
const KEY = /^[0-9a-fA-F]{64}$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function keyOf(text) {
  return typeof text === "string" && KEY.test(text) ? Buffer.from(text, "hex") : null;
}

function boundTo(cipher, label) {
  return cipher.setAAD(Buffer.concat([VERSION, Buffer.from(label, "utf8")]));
}

function seal(key, label, text) {
  const raw = keyOf(key);
  if (raw === null) return null;
  const nonce = crypto.randomBytes(NONCE);
  const cipher = boundTo(crypto.createCipheriv("aes-256-gcm", raw, nonce), label);
  const locked = Buffer.concat([cipher.update(text, "utf8"), cipher.final()]);
  return Buffer.concat([VERSION, nonce, cipher.getAuthTag(), locked]).toString("base64");
}

function unseal(key, label, sealed) {
  const rawKey = keyOf(key);
  if (rawKey === null || typeof sealed !== "string" || !BASE64.test(sealed)) return null;
  const raw = Buffer.from(sealed, "base64");
  if (raw.length < 1 + NONCE + TAG || raw[0] !== VERSION[0]) return null;
  const nonce = raw.subarray(1, 1 + NONCE);
  const tag = raw.subarray(1 + NONCE, 1 + NONCE + TAG);
  const decipher = crypto.createDecipheriv("aes-256-gcm", rawKey, nonce, { authTagLength: TAG });
  boundTo(decipher, label).setAuthTag(tag);
  try {
    const open = Buffer.concat([decipher.update(raw.subarray(1 + NONCE + TAG)), decipher.final()]);
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(open);
  } catch {
    return null;
  }
}

module.exports = { seal, unseal };
