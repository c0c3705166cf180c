import html
import re
from urllib.parse import urljoin, urlsplit

import requests
from flask import Flask, jsonify, request

MAX_REDIRECTS = 3
TITLE = re.compile(r"<title[^<>]{0,200}>([^<]{0,500})</title>", re.IGNORECASE)


def check_url(url: str, sites: set[str]) -> None:
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https"):
        raise ValueError("only pages have previews")
    host = parts.hostname or ""
    if not any(host.endswith(site) for site in sites):
        raise ValueError("no preview of this site")
    if "@" in parts.netloc or parts.port is not None or "\\" in url:
        raise ValueError("an address of this form has no preview")


def fetch_page(url: str, sites: set[str]) -> tuple[str, str]:
    check_url(url, sites)
    for _ in range(MAX_REDIRECTS + 1):
        reply = requests.get(url, timeout=4, allow_redirects=False)
        if reply.is_redirect:
            url = urljoin(url, reply.headers["Location"])
            continue
        if reply.status_code != 200:
            raise RuntimeError(f"status {reply.status_code}")
        return url, reply.text
    raise RuntimeError("too many redirects")


def create_app(sites: set[str]) -> Flask:
    app = Flask(__name__)

    @app.get("/preview")
    def preview():
        try:
            address, text = fetch_page(request.args.get("url", ""), sites)
        except ValueError:
            return jsonify(error="no preview of this address"), 400
        except RuntimeError:
            return jsonify(error="the page cannot be read"), 502
        found = TITLE.search(text)
        return jsonify(url=address, title=html.unescape(found[1]).strip() if found else None)

    return app
