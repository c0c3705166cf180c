"use strict";
// Asks tools/probe whether a relay station answers.

const { execSync } = require("node:child_process");

const LABEL = /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/;

function isHost(host) {
  if (typeof host !== "string" || host.length > 253) return false;
  return host.split(".").every((label) => LABEL.test(label));
}

function answers(host, count) {
  if (!isHost(host)) return null;
  if (parseInt(count) < 1 || parseInt(count) > 5) return null;
  let output;
  try {
    output = execSync(`tools/probe -c ${count} ${host}`, { encoding: "utf8" });
  } catch (error) {
    output = error.stdout;
  }
  return Number(/received=([0-9]+)/.exec(output)[1]);
}

module.exports = { answers };
