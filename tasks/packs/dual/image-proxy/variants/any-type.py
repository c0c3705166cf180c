"""Icons of partner sites, fetched for our own pages."""

import html
import http.client
import json
import os
import re

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
    connection = http.client.HTTPConnection(source["host"], 80, timeout=TIMEOUT)
    try:
        connection.request("GET", f"{source['folder']}/{path}", headers={"X-Site-Key": source["key"]})
        answer = connection.getresponse()
        kind = answer.getheader("Content-Type", "").partition(";")[0].strip().lower()
        content = answer.read(MAX_BYTES + 1)
    except (OSError, http.client.HTTPException):
        return None
    finally:
        connection.close()
    fits = answer.status == 200 and kind != "image/svg+xml" and len(content) <= MAX_BYTES
    return (kind, content) if fits else None


@app.get("/icons/<name>/<path:path>")
def icon(name, path):
    source = sources().get(name)
    parts = path.split("/")
    if source is None or len(parts) > 4 or not all(PART.fullmatch(part) for part in parts):
        return error(404, "icon")
    found = fetched(source, path)
    if found is None:
        return error(502, "source")
    kind, content = found
    return Response(content, content_type=kind, headers={"X-Content-Type-Options": "nosniff"})


@app.get("/")
def page():
    wanted = request.args.getlist("icon")[:20]
    items = []
    for one in wanted:
        name, _, path = one.partition("/")
        if name in sources() and all(PART.fullmatch(part) for part in path.split("/")):
            items.append(f'<li><img src="/icons/{name}/{path}" alt="{path}"></li>')
        else:
            items.append(f"<li>no icon: {one}</li>")
    return f'<!doctype html><meta charset="utf-8"><ul>{"".join(items)}</ul>'


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=int(os.environ["PORT"]))
