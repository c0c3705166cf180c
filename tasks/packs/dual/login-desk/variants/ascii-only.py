"""The login desk of a choir's member pages."""

import hashlib
import hmac
import html
import os
import re
import secrets
import sqlite3
from contextlib import closing

from flask import Flask, jsonify, redirect, request

ROUNDS = 5_000
MOST_FAILURES = 5
INSIDE = re.compile(r"/(?!/)[!-\[\]-~]*")

app = Flask(__name__)
names_by_session = {}
failures = {}


class Refused(Exception):
    def __init__(self, status, error):
        super().__init__(error)
        self.status, self.error = status, error


@app.errorhandler(Refused)
def refused(reason):
    return jsonify(error=reason.error), reason.status


def member(name):
    with closing(sqlite3.connect("choir.db")) as database:
        query = "SELECT salt, hash, voice FROM members WHERE name = ?"
        return database.execute(query, (name,)).fetchone()


def fits(password, salt, expected):
    found = hashlib.pbkdf2_hmac("sha256", password.encode("ascii", "ignore"), bytes.fromhex(salt), ROUNDS).hex()
    return hmac.compare_digest(found, expected)


def with_session(answer, name):
    number = secrets.token_urlsafe(32)
    names_by_session[number] = name
    answer.set_cookie("sid", number, path="/", httponly=True, secure=True, samesite="Lax")
    return answer


@app.get("/login")
def form():
    place = html.escape(request.args.get("next", "/"))
    page = f"""<!doctype html><meta charset="utf-8"><form method="post" action="/login">
<input name="name"><input name="password" type="password">
<input type="hidden" name="next" value="{place}"><button>Log in</button></form>"""
    return with_session(app.make_response(page), None)


@app.post("/login")
def login():
    name, password = request.form.get("name"), request.form.get("password")
    if name is None or password is None:
        raise Refused(400, "form")
    if failures.get(name, 0) >= MOST_FAILURES:
        raise Refused(429, "wait")
    found = member(name)
    salt, expected = found[:2] if found else ("00", "")
    if not fits(password, salt, expected):
        failures[name] = failures.get(name, 0) + 1
        raise Refused(401, "login")
    names_by_session.pop(request.cookies.get("sid"), None)
    place = request.form.get("next", "/")
    return with_session(redirect(place if INSIDE.fullmatch(place) else "/", 303), name)


@app.get("/me")
def me():
    name = names_by_session.get(request.cookies.get("sid"))
    if name is None:
        raise Refused(401, "session")
    return jsonify(name=name, voice=member(name)[2])


@app.post("/logout")
def logout():
    names_by_session.pop(request.cookies.get("sid"), None)
    answer = app.make_response(("", 204))
    answer.delete_cookie("sid", path="/")
    return answer


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=int(os.environ["PORT"]))
