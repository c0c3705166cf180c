"""A short-link service."""

import hmac
import html
import os
import re
import secrets

from flask import Flask, Response, jsonify, request

ADDRESS = re.compile(r"https?://[!-~]{1,500}")
CODE = re.compile(r"[a-z0-9-]{3,30}")
OWN = ("links",)

app = Flask(__name__)
links = {}


def error(status, what):
    return jsonify(error=what), status


@app.errorhandler(404)
def no_such_path(_):
    return error(404, "unknown")


def is_owner(link):
    key = request.headers.get("X-Key", "")
    return hmac.compare_digest(key.encode(), link["key"].encode())


@app.post("/links")
def add():
    body = request.get_json(force=True, silent=True)
    body = body if isinstance(body, dict) else {}
    address, code = body.get("url"), body.get("code", secrets.token_hex(4))
    if not isinstance(address, str) or not re.match(r"https?://.{1,500}$", address, re.S):
        return error(400, "url")
    if not isinstance(code, str) or not re.match(r"[^A-Z]{3,30}$", code):
        return error(400, "code")
    if code in links or code in OWN:
        return error(409, "taken")
    links[code] = {"url": address, "key": secrets.token_hex(20), "visits": 0}
    return jsonify(code=code, key=links[code]["key"]), 201


@app.get("/<code>")
def follow(code):
    link = links.get(code)
    if link is None:
        return error(404, "unknown")
    link["visits"] += 1
    answer = Response(status=302)
    answer.headers._list.append(("Location", link["url"]))
    return answer


@app.get("/links/<code>/page")
def page(code):
    if code not in links:
        return error(404, "unknown")
    address = html.escape(links[code]["url"])
    return f"""<!doctype html><meta charset="utf-8"><title>{code}</title>
<p>This link leads to <a href="{address}">{address}</a></p>"""


@app.get("/links/<code>")
def figures(code):
    link = links.get(code)
    if link is None:
        return error(404, "unknown")
    if not is_owner(link):
        return error(403, "key")
    return jsonify(url=link["url"], visits=link["visits"])


@app.delete("/links/<code>")
def remove(code):
    link = links.get(code)
    if link is None:
        return error(404, "unknown")
    if not is_owner(link):
        return error(403, "key")
    del links[code]
    return "", 204


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=int(os.environ["PORT"]))
