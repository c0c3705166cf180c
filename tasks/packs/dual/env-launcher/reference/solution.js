"use strict";
// env-launcher PROFILE JOB [ARG...]: a merchant's job, with the settings of a profile.

const { spawnSync } = require("node:child_process");
const fs = require("node:fs");
const path = require("node:path");

const ALWAYS = { PATH: "/usr/bin:/bin", LANG: "C.UTF-8" };

class Refused extends Error {}

function programOf(job) {
  const programs = new Map();
  for (const line of fs.readFileSync("jobs.txt", "utf8").split("\n")) {
    const blank = line.indexOf(" ");
    if (blank > 0) programs.set(line.slice(0, blank), line.slice(blank + 1));
  }
  if (!programs.has(job)) throw new Refused("error: job");
  return path.resolve(programs.get(job));
}

function settingsOf(profile) {
  const file = path.join("profiles", profile + ".env");
  if (!/^[a-z0-9-]{1,30}$/.test(profile)) throw new Refused("error: profile");
  const found = fs.lstatSync(file, { throwIfNoEntry: false });
  if (!found || !found.isFile()) throw new Refused("error: profile");
  const settings = {};
  for (const line of fs.readFileSync(file, "utf8").split("\n")) {
    const [, key, value] = /^(APP_[A-Z0-9_]+)=([^\0]*)$/.exec(line) ?? [];
    if (key) settings[key] = value;
  }
  return settings;
}

function main(args) {
  if (args.length < 2) throw new Refused("error: arguments");
  const [profile, job, ...goods] = args;
  const program = programOf(job);
  const settings = settingsOf(profile);
  const keys = Object.keys(settings).sort().join(" ");
  process.stderr.write(keys ? `start ${job} with ${keys}\n` : `start ${job}\n`);
  const env = { ...ALWAYS, ...settings };
  const done = spawnSync(program, ["--", ...goods], { env, stdio: ["ignore", "inherit", "inherit"] });
  if (done.error) throw done.error;
  return done.status;
}

try {
  process.exitCode = main(process.argv.slice(2));
} catch (error) {
  if (!(error instanceof Refused)) throw error;
  console.error(error.message);
  process.exitCode = 64;
}
