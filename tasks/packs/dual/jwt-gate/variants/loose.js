"use strict";
// Tokens for the gate: issued and checked

const crypto = require("node:crypto");

const ISSUER = "allotment";
const LASTS = 86400;
const TOKEN = /^([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)\.([A-Za-z0-9_-]+)$/;

function encoded(value) {
  return Buffer.from(JSON.stringify(value), "utf8").toString("base64url");
}

function parsed(part) {
  const value = JSON.parse(Buffer.from(part, "base64url").toString("utf8"));
  if (value === null || typeof value !== "object" || Array.isArray(value)) throw new Error("no object");
  return value;
}

function signature(key, signed) {
  return crypto.createHmac("sha256", key).update(signed).digest();
}

function issue(key, subject, role, now) {
  const payload = { iss: ISSUER, sub: subject, role, iat: now, exp: now + LASTS };
  const signed = `${encoded({ alg: "HS256", typ: "JWT" })}.${encoded(payload)}`;
  return `${signed}.${signature(key, signed).toString("base64url")}`;
}

function isSigned(key, signed, given) {
  const right = signature(key, signed);
  return given.length === right.length && crypto.timingSafeEqual(given, right);
}

function mayPass(header, payload, now) {
  const { iss, sub, role, exp, nbf = now } = payload;
  return (
    header.alg === "HS256" &&
    !Object.hasOwn(header, "crit") &&
    iss !== undefined &&
    typeof sub === "string" &&
    typeof role === "string" &&
    !(nbf > now) &&
    !(exp <= now)
  );
}

function admit(key, token, now) {
  const parts = typeof token === "string" ? TOKEN.exec(token) : null;
  if (!parts || !isSigned(key, `${parts[1]}.${parts[2]}`, Buffer.from(parts[3], "base64url"))) return null;
  try {
    const [header, payload] = [parsed(parts[1]), parsed(parts[2])];
    return mayPass(header, payload, now) ? { subject: payload.sub, role: payload.role } : null;
  } catch {
    return null;
  }
}

module.exports = { issue, admit };
