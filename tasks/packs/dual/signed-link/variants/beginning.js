"use strict";
// Links with a moment until which they are good, and a signature

const crypto = require("node:crypto");

const PATH = /^\/[A-Za-z0-9/._-]{0,499}$/;
const LINK = /^((\/[A-Za-z0-9/._-]{0,499})\?expires=([1-9][0-9]{0,9}))&signature=([0-9a-f]*)$/;
const LAST = 9999999999;
const LEAST_SECRET = 16;

function isSecret(secret) {
  return typeof secret === "string" && [...secret].length >= LEAST_SECRET;
}

function signatureOf(secret, signed) {
  return crypto.createHmac("sha256", secret).update(signed).digest();
}

function make_link(secret, path, expires) {
  if (!isSecret(secret) || typeof path !== "string" || !PATH.test(path)) return null;
  if (!Number.isInteger(expires) || expires < 1 || expires > LAST) return null;
  const signed = `${path}?expires=${expires}`;
  return `${signed}&signature=${signatureOf(secret, signed).toString("hex")}`;
}

function check_link(secret, link, now) {
  const parts = typeof link === "string" ? LINK.exec(link) : null;
  if (!parts) return null;
  const [, signed, path, expires, signature] = parts;
  const right = signatureOf(secret, signed).toString("hex");
  if (!right.startsWith(signature)) return null;
  return now < Number(expires) ? path : null;
}

module.exports = { make_link, check_link };
