"use strict";
// Sessions, kept in memory

const crypto = require("node:crypto");
const http = require("node:http");

const LASTS = 3600;
const NAME = /^[a-z0-9]{1,40}$/;
const MOMENT = /^[0-9]{1,12}$/;
const USERS = /^\/users\/([^/]+)\/sessions$/;
const sessions = new Map();

class Refused extends Error {
  constructor(status, text) {
    super(text);
    this.status = status;
  }
}

function parsed(body) {
  try {
    return JSON.parse(body);
  } catch {
    return null;
  }
}

function current(request, now) {
  const [, token] = /^Bearer (.+)$/.exec(request.headers.authorization || "") || [];
  const found = [...sessions.keys()].find((known) => token && token.includes(known));
  const session = sessions.get(found);
  if (session && now < session.expires) return [token, session];
  sessions.delete(token);
  throw new Refused(401, "no session");
}

function begin(body, now) {
  const given = parsed(body);
  const user = given && given.user;
  if (typeof user !== "string" || !NAME.test(user)) throw new Refused(400, "no user");
  const token = crypto.randomBytes(32).toString("base64url");
  sessions.set(token, { user, expires: now + LASTS });
  return [201, { token, expires: now + LASTS }];
}

function endAll(name) {
  for (const [token, session] of sessions) if (session.user === name) sessions.delete(token);
  return [204];
}

function answer(request, body) {
  const now = request.headers["x-now"] || "";
  if (!MOMENT.test(now)) throw new Refused(400, "no moment");
  const asked = `${request.method} ${request.url.split("?")[0]}`;
  if (asked === "POST /sessions") return begin(body, Number(now));
  if (asked === "GET /sessions/current") return [200, current(request, Number(now))[1]];
  if (asked === "DELETE /sessions/current") {
    sessions.delete(current(request, Number(now))[0]);
    return [204];
  }
  const users = USERS.exec(asked.replace(/^DELETE /, ""));
  if (users) return endAll(users[1]);
  throw new Refused(404, "nothing here");
}

function handled(request, body) {
  try {
    return answer(request, body);
  } catch (error) {
    return [error.status || 500, { error: error.status ? error.message : "failed" }];
  }
}

http
  .createServer((request, response) => {
    const pieces = [];
    request.on("data", (piece) => pieces.push(piece));
    request.on("end", () => {
      const [status, value] = handled(request, Buffer.concat(pieces).toString("utf8"));
      response.writeHead(status, { "Content-Type": "application/json" });
      response.end(value === undefined ? "" : JSON.stringify(value));
    });
  })
  .listen(Number(process.env.PORT), "127.0.0.1");
