from __future__ import annotations

import functools
import hmac
import secrets
from collections.abc import Callable
from urllib.parse import urlencode, urlsplit

from flask import Flask, jsonify, redirect, request, session


def is_path(url: str) -> bool:
    """Whether `url` is a path, which keeps a browser at the host where it is."""
    if not url.startswith("/") or url.startswith("//"):
        return False
    return url.isprintable() and "\\" not in url and " " not in url


def safe_redirect(url: str | None):
    return redirect(url if url and is_path(url) else "/", code=303)


def signed_in(view: Callable) -> Callable:
    @functools.wraps(view)
    def guarded(*args, **kwargs):
        if "user" not in session:
            here = request.full_path.rstrip("?")
            return redirect("/login?" + urlencode({"next": here}), code=303)
        return view(*args, **kwargs)

    return guarded


def add_sign_in(app: Flask, users: dict[str, str]) -> None:
    @app.get("/login")
    def form():
        wanted = request.args.get("next", "/")
        return jsonify(next=wanted if is_path(wanted) else "/")

    @app.post("/login")
    def login():
        known = users.get(request.form.get("name", ""))
        given = request.form.get("password", "")
        if known is None or not hmac.compare_digest(known.encode(), given.encode()):
            return jsonify(error="wrong name or password"), 401
        session.clear()
        session["user"] = request.form["name"]
        return safe_redirect(request.form.get("next"))

    @app.post("/logout")
    def logout():
        session.clear()
        return safe_redirect(request.form.get("next"))


def add_pages(app: Flask, partners: dict[str, str]) -> None:
    @app.get("/tickets")
    @app.get("/tickets/<play>")
    @signed_in
    def tickets(play: str = "all"):
        return jsonify(user=session["user"], play=play)

    @app.get("/partner/<name>")
    def partner(name: str):
        url = partners.get(name, "")
        page = request.args.get("page", "/")
        host = urlsplit(url).netloc
        if urlsplit(url).scheme != "https" or not host:
            return jsonify(error="unknown partner"), 404
        if not is_path(page):
            return jsonify(error="no such page"), 404
        return redirect(f"https://{host}{page}", code=303)


def create_app(users: dict[str, str], partners: dict[str, str] | None = None) -> Flask:
    app = Flask(__name__)
    app.secret_key = secrets.token_bytes(32)
    add_sign_in(app, dict(users))
    add_pages(app, dict(partners or {}))
    return app
