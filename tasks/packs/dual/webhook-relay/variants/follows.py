"""Passes a parcel service's events on to those who subscribed to them."""

import hashlib
import hmac
import json
import os
import re
import secrets

import requests
from flask import Flask, jsonify, request

HOOK = re.compile(r"http://([a-z0-9.-]{1,100})(/[!-~]{0,200})?")
EVENT = re.compile(r"[a-z]+(\.[a-z]+){0,3}")
MAX_BODY = 5_000
TIMEOUT = 5

app = Flask(__name__)
hooks = {}


def error(status, what):
    return jsonify(error=what), status


@app.errorhandler(404)
def no_such_path(_):
    return error(404, "hook")


def line_of(path):
    with open(path, encoding="utf-8") as file:
        return file.read().strip()


def signature(key, content):
    return hmac.new(key.encode(), content, hashlib.sha256).hexdigest()


def partner():
    """The partner whose key the request has, or None."""
    given = request.headers.get("X-Partner-Key", "")
    with open("partners.json", encoding="utf-8") as file:
        found = json.load(file).items()
    fitting = [name for name, one in found if hmac.compare_digest(one["key"].encode(), given.encode())]
    return fitting[0] if fitting else None


def hosts_of(name):
    with open("partners.json", encoding="utf-8") as file:
        return json.load(file)[name]["hosts"]


def send(hook, event, content):
    """Pass one event on; the status of the answer, or 0 where there was none."""
    headers = {
        "Content-Type": "application/json",
        "X-Event": event,
        "X-Signature": signature(hook["secret"], content),
    }
    try:
        return requests.post(hook["url"], content, headers=headers, timeout=TIMEOUT).status_code
    except (OSError, ValueError):
        return 0


@app.post("/hooks")
def subscribe():
    owner = partner()
    if owner is None:
        return error(401, "partner")
    body = request.get_json(force=True, silent=True)
    url = body.get("url") if isinstance(body, dict) else None
    fits = HOOK.fullmatch(url) if isinstance(url, str) else None
    if not fits or fits[1] not in hosts_of(owner):
        return error(400, "url")
    number, secret = len(hooks) + 1, secrets.token_hex(16)
    hooks[number] = {"owner": owner, "url": url, "secret": secret, "active": True}
    return jsonify(id=number, secret=secret), 201


def own(number):
    hook = hooks.get(number)
    return hook if hook and hook["active"] and hook["owner"] == partner() else None


@app.get("/hooks/<int:number>")
def show(number):
    if partner() is None:
        return error(401, "partner")
    hook = own(number)
    return jsonify(id=number, url=hook["url"]) if hook else error(404, "hook")


@app.delete("/hooks/<int:number>")
def end(number):
    if partner() is None:
        return error(401, "partner")
    hook = own(number)
    if hook is None:
        return error(404, "hook")
    hook["active"] = False
    return "", 204


@app.post("/events")
def relay():
    content = request.stream.read(MAX_BODY + 1)
    if len(content) > MAX_BODY:
        return error(413, "size")
    given = request.headers.get("X-Signature", "")
    expected = signature(line_of("depot.key"), content)
    if not hmac.compare_digest(given.encode(), expected.encode()):
        return error(403, "signature")
    try:
        event = json.loads(content)["event"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return error(400, "event")
    if not isinstance(event, str) or not re.match(EVENT.pattern + r"(\s|$)", event):
        return error(400, "event")
    active = [hook for hook in hooks.values() if hook["active"]]
    return jsonify(sent=[send(hook, event, content) for hook in active])


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=int(os.environ["PORT"]))
