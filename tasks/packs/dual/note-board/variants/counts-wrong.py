"""Notes of the members of a field club, by HTTP."""

import hmac
import itertools
import os
import secrets

from flask import Flask, jsonify, request

FIELDS = ("title", "text", "shared")

app = Flask(__name__)
app.config["MAX_CONTENT_LENGTH"] = 8_000
numbers = itertools.count()
names_by_token = {}
notes = {}


class Refused(Exception):
    def __init__(self, status, error):
        super().__init__(error)
        self.status, self.error = status, error


@app.errorhandler(Refused)
def refused(reason):
    return jsonify(error=reason.error), reason.status


@app.errorhandler(404)
def no_such_path(_):
    return jsonify(error="note"), 404


def passwords():
    with open("members.txt", encoding="utf-8") as file:
        return dict(line.rstrip("\n").split(":", 1) for line in file if ":" in line)


def body():
    found = request.get_json(force=True, silent=True)
    return found if isinstance(found, dict) else {}


def user():
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    name = names_by_token.get(token) if scheme == "Bearer" else None
    if name is None:
        raise Refused(401, "token")
    return name


def fields(given, needed):
    """The fields of a note that are in a body. Refuses wrong types and lengths."""
    kinds = {"title": str, "text": str, "shared": bool}
    found = {field: given[field] for field in FIELDS if field in given}
    if any(not isinstance(value, kinds[field]) for field, value in found.items()):
        raise Refused(400, "note")
    if any(field not in found for field in needed) or not 1 <= len(found.get("title", "x")) <= 100:
        raise Refused(400, "note")
    return found


def own(number):
    note = notes.get(number)
    if note is None or note["owner"] != user():
        raise Refused(404, "note")
    return note


@app.post("/login")
def login():
    name, password = body().get("name"), body().get("password")
    if not isinstance(name, str) or not isinstance(password, str):
        raise Refused(401, "login")
    expected = passwords().get(name)
    if expected is None or not hmac.compare_digest(expected.encode(), password.encode()):
        raise Refused(401, "login")
    token = secrets.token_hex(24)
    names_by_token[token] = name
    return jsonify(token=token)


@app.post("/notes")
def add():
    owner = user()
    note = {"id": next(numbers), "owner": owner, "shared": False}
    note |= fields(body(), ("title", "text"))
    notes[note["id"]] = note
    return jsonify(note), 201


@app.get("/notes")
def index():
    name, word = user(), request.args.get("word", "")
    seen = [note for note in notes.values() if note["owner"] == name or note["shared"]]
    found = [note for note in seen if word in note["text"]]
    return jsonify(notes=[{key: note[key] for key in ("id", "owner", "title")} for note in found])


@app.get("/notes/<int:number>")
def read(number):
    name, note = user(), notes.get(number)
    if note is None or not (note["owner"] == name or note["shared"]):
        raise Refused(404, "note")
    return jsonify(note)


@app.patch("/notes/<int:number>")
def change(number):
    user()
    note = own(number)
    note |= fields(body(), ())
    return jsonify(note)


@app.delete("/notes/<int:number>")
def remove(number):
    user()
    del notes[own(number)["id"]]
    return "", 204


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=int(os.environ["PORT"]))
