from __future__ import annotations

import hmac
import secrets
import sqlite3

from flask import Blueprint, Flask, abort, current_app, jsonify, request, session
from werkzeug.exceptions import HTTPException

PLOTS = 20
SCHEMA = "CREATE TABLE plots (plot INTEGER PRIMARY KEY, member TEXT, note TEXT NOT NULL DEFAULT '')"

pages = Blueprint("pages", __name__)


def database() -> sqlite3.Connection:
    return current_app.config["DATABASE"]


def same(known: str, given: str) -> bool:
    return hmac.compare_digest(known.encode(), given.encode())


@pages.before_request
def check_session() -> None:
    if request.endpoint == "pages.login":
        return
    if "member" not in session:
        abort(401)


@pages.post("/login")
def login():
    name, password = request.form.get("name", ""), request.form.get("password", "")
    known = current_app.config["MEMBERS"].get(name)
    if known is None or not same(known, password):
        abort(401)
    session.clear()
    session.update(member=name, token=secrets.token_hex(24))
    return jsonify(token=session["token"])


@pages.get("/token")
def token():
    return jsonify(token=session["token"])


@pages.post("/logout")
def logout():
    session.clear()
    return jsonify(ok=True)


@pages.get("/plots")
def plots():
    rows = database().execute("SELECT plot, member, note FROM plots ORDER BY plot")
    return jsonify([dict(zip(("plot", "member", "note"), row, strict=True)) for row in rows])


def holder(plot: int) -> str | None:
    row = database().execute("SELECT member FROM plots WHERE plot = ?", (plot,)).fetchone()
    if row is None:
        abort(404)
    return row[0]


def change(plot: int, member: str | None, note: str):
    with database() as connection:
        connection.execute(
            "UPDATE plots SET member = ?, note = ? WHERE plot = ?", (member, note, plot)
        )
    return jsonify(ok=True)


@pages.post("/plots/<int:plot>/take")
def take(plot: int):
    if holder(plot) is not None:
        abort(409)
    return change(plot, session["member"], "")


@pages.post("/plots/<int:plot>/note")
def note(plot: int):
    if holder(plot) != session["member"]:
        abort(403)
    return change(plot, session["member"], request.form.get("text", "")[:200])


@pages.post("/plots/<int:plot>/leave")
def leave(plot: int):
    if holder(plot) != session["member"]:
        abort(403)
    return change(plot, None, "")


def create_app(members: dict[str, str]) -> Flask:
    app = Flask(__name__)
    database = sqlite3.connect(":memory:", check_same_thread=False)
    database.execute(SCHEMA)
    database.executemany("INSERT INTO plots (plot) VALUES (?)", [(n + 1,) for n in range(PLOTS)])
    database.commit()
    app.config.update(MEMBERS=dict(members), DATABASE=database)
    app.secret_key = secrets.token_bytes(32)
    app.register_blueprint(pages)
    app.register_error_handler(HTTPException, lambda error: ({"error": error.name}, error.code))
    return app
