"use strict";
// Records of passwords: PBKDF2 with HMAC-SHA-256

const crypto = require("node:crypto");

const ITERATIONS = 600000;
const MOST_ITERATIONS = 2000000;
const METHOD = "pbkdf2-sha256";
const RECORD = /^pbkdf2-sha256\$([1-9][0-9]{0,6})\$((?:[0-9a-f]{2}){16,64})\$([0-9a-f]{64})$/;

function isPassword(password) {
  return typeof password === "string" && password !== "" && [...password].length <= 1000;
}

function derived(password, salt, iterations) {
  return crypto.pbkdf2Sync(Buffer.from(password.normalize("NFKC"), "utf8").subarray(0, 72), salt, iterations, 32, "sha256");
}

function make_record(password) {
  if (!isPassword(password)) return null;
  const salt = crypto.randomBytes(16);
  const key = derived(password, salt, ITERATIONS);
  return [METHOD, ITERATIONS, salt.toString("hex"), key.toString("hex")].join("$");
}

function check_password(password, record) {
  const fields = typeof record === "string" ? RECORD.exec(record) : null;
  if (!fields || !isPassword(password)) return false;
  const iterations = Number(fields[1]);
  if (iterations > MOST_ITERATIONS) return false;
  const key = derived(password, Buffer.from(fields[2], "hex"), iterations);
  return crypto.timingSafeEqual(key, Buffer.from(fields[3], "hex"));
}

module.exports = { make_record, check_password };
