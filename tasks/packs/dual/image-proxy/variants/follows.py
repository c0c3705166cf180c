"""Icons of partner sites, fetched for our own pages."""

import html
import json
import os
import re

import requests
from flask import Flask, Response, jsonify, request

NAME = re.compile(r"[a-z0-9_-]{1,40}")
PART = re.compile(r"[A-Za-z0-9_-][A-Za-z0-9._-]{0,40}")
KINDS = ("image/png", "image/gif", "image/jpeg")
MAX_BYTES = 2_000
TIMEOUT = 5

app = Flask(__name__)


def error(status, what):
    return jsonify(error=what), status


@app.errorhandler(404)
def no_such_path(_):
    return error(404, "icon")


def sources():
    with open("sources.json", encoding="utf-8") as file:
        return json.load(file)


def fetched(source, path):
    """Type and content of an icon, or None where there is none that can be shown."""
    address = f"http://{source['host']}{source['folder']}/{path}"
    try:
        answer = requests.get(address, headers={"X-Site-Key": source["key"]}, timeout=TIMEOUT)
    except OSError:
        return None
    kind = answer.headers.get("Content-Type", "").partition(";")[0]
    fits = answer.status_code == 200 and kind in KINDS
    return (kind, answer.content, answer.headers.get("Set-Cookie")) if fits else None


@app.get("/icons/<name>/<path:path>")
def icon(name, path):
    source = sources().get(name)
    parts = path.split("/")
    if source is None or len(parts) > 4 or not all(PART.fullmatch(part) for part in parts):
        return error(404, "icon")
    found = fetched(source, path)
    if found is None:
        return error(502, "source")
    kind, content, cookie = found
    own = {"Set-Cookie": cookie} if cookie else {}
    return Response(content, content_type=kind, headers={**own, "X-Content-Type-Options": "nosniff"})


@app.get("/")
def page():
    wanted = request.args.getlist("icon")[:20]
    items = []
    for one in wanted:
        name, _, path = one.partition("/")
        if name in sources() and all(PART.fullmatch(part) for part in path.split("/")):
            items.append(f'<li><img src="/icons/{name}/{path}" alt="{path}"></li>')
        else:
            items.append(f"<li>no icon: {html.escape(one)}</li>")
    return f'<!doctype html><meta charset="utf-8"><ul>{"".join(items)}</ul>'


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=int(os.environ["PORT"]))
