from __future__ import annotations

import hashlib
import secrets
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing

from flask import Flask, abort, g, jsonify, request

PUBLIC = frozenset({"health", "version"})
SCHEMA = """
CREATE TABLE IF NOT EXISTS tokens (digest TEXT PRIMARY KEY, worker TEXT, ends REAL);
CREATE TABLE IF NOT EXISTS jobs (
    id INTEGER PRIMARY KEY, kind TEXT, state TEXT DEFAULT 'waiting', worker TEXT
);
"""


def digest_of(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def connect(db_path: str) -> sqlite3.Connection:
    db = sqlite3.connect(db_path)
    db.executescript(SCHEMA)
    return db


def add_token(
    db_path: str, worker: str, lifetime: int = 86400, clock: Callable[[], float] = time.time
) -> str:
    token = secrets.token_urlsafe(32)
    with closing(connect(db_path)) as db, db:
        db.execute(
            "INSERT INTO tokens VALUES (?, ?, ?)", (digest_of(token), worker, clock() + lifetime)
        )
    return token


def create_app(db_path: str, clock: Callable[[], float] = time.time) -> Flask:
    app = Flask(__name__)

    def change(statement: str, *values: object) -> sqlite3.Cursor:
        with g.db:
            return g.db.execute(statement, values)

    @app.before_request
    def identify() -> None:
        g.db = connect(db_path)
        if request.endpoint in PUBLIC:
            return
        scheme, _, token = request.headers.get("Authorization", "").partition(" ")
        g.worker, g.digest = "anonymous", digest_of(token)
        if request.method not in ("POST", "PUT"):
            return
        if not token:
            return
        found = g.db.execute("SELECT worker, ends FROM tokens WHERE digest = ?", (g.digest,))
        row = found.fetchone()
        if row is None or clock() >= row[1]:
            abort(401)
        g.worker = row[0]

    @app.teardown_request
    def disconnect(error: BaseException | None) -> None:
        g.pop("db").close()

    @app.get("/health")
    def health():
        return jsonify(status="up")

    @app.get("/version")
    def version():
        return jsonify(version="1")

    @app.post("/jobs")
    def add_job():
        body = request.get_json(silent=True)
        kind = body.get("kind") if isinstance(body, dict) else None
        if not isinstance(kind, str) or not kind:
            abort(400)
        return jsonify(id=change("INSERT INTO jobs (kind) VALUES (?)", kind).lastrowid), 201

    @app.get("/jobs")
    def count_jobs():
        return jsonify(dict(g.db.execute("SELECT state, COUNT(*) FROM jobs GROUP BY state")))

    @app.delete("/jobs")
    def drop_jobs():
        return jsonify(dropped=change("DELETE FROM jobs WHERE state = 'waiting'").rowcount)

    @app.post("/jobs/next")
    def next_job():
        row = g.db.execute(
            "SELECT id, kind FROM jobs WHERE state = 'waiting' ORDER BY id"
        ).fetchone()
        if row is None:
            return "", 204
        change("UPDATE jobs SET state = 'taken', worker = ? WHERE id = ?", g.worker, row[0])
        return jsonify(id=row[0], kind=row[1])

    @app.post("/jobs/<int:job_id>/done")
    def finish_job(job_id: int):
        done = "UPDATE jobs SET state = 'done' WHERE id = ? AND worker = ? AND state = 'taken'"
        if change(done, job_id, g.worker).rowcount == 0:
            abort(404)
        return "", 204

    @app.post("/token/revoke")
    def revoke():
        change("DELETE FROM tokens WHERE digest = ?", g.digest)
        return "", 204

    return app
