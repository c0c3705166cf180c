"""File shelves of a translators' office."""

import hmac
import json
import os
import re
import secrets

from flask import Flask, Response, jsonify, request

NAME = re.compile(r"(?!\.[a-z])[!-~]{1,60}")
MAX_FILE, MAX_SHELF = 2_000, 5_000

app = Flask(__name__)
names_by_token = {}


class Refused(Exception):
    def __init__(self, status, error):
        super().__init__(error)
        self.status, self.error = status, error


@app.errorhandler(Refused)
def refused(reason):
    return jsonify(error=reason.error), reason.status


@app.errorhandler(404)
def no_such_path(_):
    return jsonify(error="file"), 404


def user():
    scheme, _, token = request.headers.get("Authorization", "").partition(" ")
    if scheme != "Bearer" or token not in names_by_token:
        raise Refused(401, "token")
    return names_by_token[token]


def is_file(path):
    return os.path.isfile(path) and not os.path.islink(path)


def existing(owner, name):
    """The path of a file on a shelf. Refuses what is none."""
    if not NAME.fullmatch(name) or not is_file(os.path.join("shelves", owner, name)):
        raise Refused(404, "file")
    return os.path.join("shelves", owner, name)


def files(owner):
    folder = os.path.join("shelves", owner)
    os.makedirs(folder, exist_ok=True)
    names = [name for name in os.listdir(folder) if NAME.fullmatch(name)]
    paths = {name: os.path.join(folder, name) for name in sorted(names)}
    return {name: os.path.getsize(path) for name, path in paths.items() if is_file(path)}


@app.post("/login")
def login():
    body = request.get_json(force=True, silent=True)
    body = body if isinstance(body, dict) else {}
    name, password = body.get("name"), body.get("password")
    with open("people.json", encoding="utf-8") as file:
        expected = json.load(file).get(name) if isinstance(name, str) else None
    if expected is None or not isinstance(password, str):
        raise Refused(401, "login")
    if not hmac.compare_digest(password.encode(), expected.encode()):
        raise Refused(401, "login")
    token = secrets.token_urlsafe(32)
    names_by_token[token] = name
    return jsonify(token=token)


@app.get("/files")
def index():
    return jsonify(files=[{"name": name, "size": size} for name, size in files(user()).items()])


@app.get("/files/<path:name>")
def read(name):
    with open(existing(user(), name), "rb") as file:
        content = file.read()
    headers = {
        "Content-Disposition": f'attachment; filename="{name}"',
        "X-Content-Type-Options": "nosniff",
    }
    return Response(content, mimetype="application/octet-stream", headers=headers)


@app.put("/files/<path:name>")
def write(name):
    owner = user()
    if not NAME.fullmatch(name):
        raise Refused(400, "name")
    content = request.stream.read(MAX_FILE + 1)
    others = sum(size for other, size in files(owner).items() if other != name)
    if len(content) > MAX_FILE or others + len(content) > MAX_SHELF:
        raise Refused(413, "size")
    path = os.path.join("shelves", owner, name)
    if os.path.lexists(path) and not is_file(path):
        raise Refused(400, "name")
    with open(path, "wb") as file:
        file.write(content)
    return jsonify(name=name, size=len(content))


@app.delete("/files/<path:name>")
def remove(name):
    os.remove(existing(user(), name))
    return "", 204


@app.post("/files/<name>/copy")
def hand_over(name):
    """A copy for a colleague, on whose shelf there is no file of this name yet."""
    path, body = existing(user(), name), request.get_json(force=True, silent=True)
    colleague = body.get("to") if isinstance(body, dict) else None
    with open("people.json", encoding="utf-8") as file:
        if not isinstance(colleague, str) or colleague not in json.load(file):
            raise Refused(400, "to")
    held = files(colleague)
    target = os.path.join("shelves", colleague, name)
    if os.path.lexists(target):
        raise Refused(409, "taken")
    if sum(held.values()) + os.path.getsize(path) > MAX_SHELF:
        raise Refused(413, "size")
    with open(path, "rb") as source, open(target, "xb") as copy:
        copy.write(source.read())
    return "", 204


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=int(os.environ["PORT"]))
