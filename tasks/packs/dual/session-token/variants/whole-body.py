"""Sessions, kept in memory."""

import os
import re
import secrets

from flask import Flask, abort, jsonify, request
from werkzeug.exceptions import HTTPException

LASTS = 3600
NAME = re.compile(r"[a-z0-9]{1,40}")
MOMENT = re.compile(r"[0-9]{1,12}")

app = Flask(__name__)
sessions = {}


@app.errorhandler(HTTPException)
def told(error):
    status = 404 if error.code == 405 else error.code
    return jsonify(error=error.name), status


def moment():
    text = request.headers.get("X-Now", "")
    if not MOMENT.fullmatch(text):
        abort(400)
    return int(text)


def current():
    """The token of the request's session, which is still there."""
    now = moment()
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme != "Bearer" or token not in sessions:
        abort(401)
    if now > sessions[token]["expires"] + 300:
        del sessions[token]
        abort(401)
    return token


@app.post("/sessions")
def begin():
    now = moment()
    body = request.get_json(force=True, silent=True)
    user = body.get("user") if isinstance(body, dict) else None
    if not isinstance(user, str) or not NAME.fullmatch(user):
        abort(400)
    session = {"token": secrets.token_urlsafe(32), "expires": now + LASTS} | body
    sessions[session["token"]] = {"user": user, "expires": session["expires"]}
    return jsonify(session), 201


@app.get("/sessions/current")
def show():
    return jsonify(sessions[current()])


@app.delete("/sessions/current")
def end():
    del sessions[current()]
    return "", 204


@app.delete("/users/<name>/sessions")
def end_all(name):
    moment()
    for token in [token for token, session in sessions.items() if session["user"] == name]:
        del sessions[token]
    return "", 204


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=int(os.environ["PORT"]))
