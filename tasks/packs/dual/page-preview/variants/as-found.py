"""Titles of pages for a reading list."""

import html
import os
import re
import urllib.error
import urllib.parse
import urllib.request

from flask import Flask, jsonify, request

TITLE = re.compile(r"<title>([^<]*)</title>", re.IGNORECASE)
MAX_BYTES = 20_000
TIMEOUT = 5

app = Flask(__name__)
shown = []


class NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), NoRedirects)


def known_hosts():
    with open("hosts.txt", encoding="utf-8") as file:
        return set(file.read().split())


def is_allowed(address):
    fits = re.fullmatch(r"http://([a-z0-9.-]+)(/[!-~]*)?", address)
    return bool(fits) and fits[1] in known_hosts()


def title_of(address):
    with opener.open(address, timeout=TIMEOUT) as answer:
        if answer.status != 200:
            return None
        text = answer.read(MAX_BYTES).decode("utf-8", "replace")
    found = TITLE.search(text)
    return html.unescape(found[1]).strip()[:200] if found else ""


@app.post("/preview")
def preview():
    body = request.get_json(force=True, silent=True)
    address = body.get("url") if isinstance(body, dict) else None
    if not isinstance(address, str) or not is_allowed(address):
        return jsonify(error="url"), 400
    try:
        title = title_of(address)
    except (OSError, urllib.error.URLError, ValueError):
        title = None
    if title is None:
        return jsonify(error="fetch"), 502
    shown.append((address, title))
    return jsonify(url=address, title=title)


@app.get("/")
def page():
    items = [
        f'<li><a href="{html.escape(address)}">{title.replace("&", "&amp;")}</a></li>'
        for address, title in shown
    ]
    return f'<!doctype html><meta charset="utf-8"><ul>{"".join(items)}</ul>'


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=int(os.environ["PORT"]))
