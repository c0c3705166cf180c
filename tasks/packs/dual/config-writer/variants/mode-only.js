"use strict";
// A customer's settings as JSON -> the plain text that the services read.

const fs = require("node:fs");
const path = require("node:path");

// eslint-disable-next-line no-control-regex
const CONTROL = /[\x00-\x1f\x7f-\x9f\u2028\u2029]/;

/** Its message names the part of the input that does not fit, and nothing of its content. */
class Refused extends Error {}

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

function readRequest(file) {
  let request;
  try {
    request = JSON.parse(fs.readFileSync(file, "utf8"));
  } catch {
    throw new Refused("input");
  }
  const whole = isObject(request) && Object.keys(request).sort().join() === "include,service,settings";
  if (!whole || typeof request.service !== "string" || !isObject(request.settings)) {
    throw new Refused("input");
  }
  if (!Array.isArray(request.include)) throw new Refused("input");
  return request;
}

function settingLine([key, value]) {
  const fits =
    typeof value === "boolean" ||
    (Number.isInteger(value) && Math.abs(value) <= 2 ** 53) ||
    (typeof value === "string" && !CONTROL.test(value));
  if (!fits || !/^[a-z0-9_]{1,40}$/.test(key)) throw new Refused("settings");
  return `${key} = ${value}\n`;
}

function snippet(name) {
  if (typeof name !== "string" || name === "" || name.includes("/") || CONTROL.test(name)) {
    throw new Refused("include");
  }
  const file = path.join("snippets", name + ".conf");
  const found = fs.lstatSync(file, { throwIfNoEntry: false });
  if (!found || !found.isFile()) throw new Refused("include");
  return `# include ${name}\n${fs.readFileSync(file, "utf8")}`;
}

function converted(request) {
  if (!/^[a-z][a-z0-9-]{0,29}$/.test(request.service)) throw new Refused("service");
  const settings = Object.entries(request.settings).sort(([a], [b]) => (a < b ? -1 : 1));
  const lines = [`[${request.service}]\n`, ...settings.map(settingLine)];
  return [...lines, ...request.include.map(snippet)].join("");
}

/** Put a new file with the permissions 0600 in the place of whatever there is. */
function writePrivate(file, content) {
  fs.writeFileSync(file, content, { mode: 0o600 });
}

try {
  const [source, target] = process.argv.slice(2);
  const request = readRequest(source);
  writePrivate(target, converted(request));
  console.log(`${Object.keys(request.settings).length} settings`);
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  console.error(`error: ${error.message}`);
  process.exitCode = 1;
}
