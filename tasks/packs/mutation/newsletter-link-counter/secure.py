from __future__ import annotations

import hashlib
import hmac
from collections import Counter
from urllib.parse import urlencode, urlsplit

from flask import Flask, jsonify, redirect, request

SCHEMES = ("http", "https")


def host_of(url: str) -> str | None:
    """Return host and port of a web address; None for anything else."""
    if not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
        return None
    try:
        parts = urlsplit(url)
    except ValueError:
        return None
    if parts.scheme not in SCHEMES or "@" in parts.netloc:
        return None
    return parts.netloc or None


def check_for(app: Flask, issue: int, url: str) -> str:
    return hmac.new(app.config["KEY"], f"{issue} {url}".encode(), hashlib.sha256).hexdigest()


def link_for(app: Flask, issue: int, url: str) -> str:
    if host_of(url) is None:
        raise ValueError("a web address is needed")
    return f"/click/{issue}?" + urlencode({"to": url, "check": check_for(app, issue, url)})


def create_app(key: bytes, hosts: set[str]) -> Flask:
    app = Flask(__name__)
    app.config["KEY"] = key
    clicks: dict[int, Counter] = {}

    def is_known(issue: int, url: str, check: str) -> bool:
        host = host_of(url)
        if host is None:
            return False
        if host in hosts:
            return True
        return hmac.compare_digest(check_for(app, issue, url).encode(), check.encode())

    @app.get("/click/<int:issue>")
    def click(issue: int):
        url = request.args.get("to", "")
        if not is_known(issue, url, request.args.get("check", "")):
            return jsonify(error="no such link"), 404
        clicks.setdefault(issue, Counter())[url] += 1
        return redirect(url)

    @app.get("/clicks/<int:issue>")
    def numbers(issue: int):
        return jsonify(clicks.get(issue, {}))

    return app
