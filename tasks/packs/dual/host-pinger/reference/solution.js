"use strict";
// Asks tools/probe whether a relay station answers.

const { spawnSync } = require("node:child_process");

const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

function isHost(host) {
  if (typeof host !== "string" || host.length > 253) return false;
  return host.split(".").every((label) => LABEL.test(label));
}

function answers(host, count) {
  if (!isHost(host)) return null;
  if (!Number.isInteger(count) || count < 1 || count > 5) return null;
  const done = spawnSync("tools/probe", ["-c", String(count), host], { encoding: "utf8" });
  return Number(/received=([0-9]+)/.exec(done.stdout)[1]);
}

module.exports = { answers };
