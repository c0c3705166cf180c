from __future__ import annotations

import sqlite3

from flask import Flask, g, jsonify, request
from werkzeug.exceptions import HTTPException, NotFound, Unauthorized, UnprocessableEntity


def text_field(name: str) -> str:
    body = request.get_json(silent=True)
    value = body.get(name) if isinstance(body, dict) else None
    if not isinstance(value, str) or not 1 <= len(value) <= 1000:
        raise UnprocessableEntity
    return value


def one(db: sqlite3.Connection, query: str, *values: object) -> sqlite3.Row:
    """Return the row that a query finds; raise NotFound where there is none."""
    row = db.execute(query, values).fetchone()
    if row is None:
        raise NotFound
    return row


def is_member(db: sqlite3.Connection, course: int, pupil: object) -> bool:
    query = "SELECT 1 FROM members WHERE course = ? AND pupil = ?"
    return isinstance(pupil, int) and db.execute(query, (course, pupil)).fetchone() is not None


def taught_course(db: sqlite3.Connection, course: int) -> sqlite3.Row:
    found = one(db, "SELECT * FROM courses WHERE id = ?", course)
    if found["teacher"] != g.user["id"]:
        raise NotFound
    return found


def seen_course(db: sqlite3.Connection, course: int) -> sqlite3.Row:
    found = one(db, "SELECT * FROM courses WHERE id = ?", course)
    user_id = g.user["id"]
    if found["teacher"] != user_id and not is_member(db, course, user_id):
        raise NotFound
    return found


def own_account(db: sqlite3.Connection, user_id: int) -> sqlite3.Row:
    if user_id != g.user["id"] and g.user["role"] != "office":
        raise NotFound
    return one(db, "SELECT id, name FROM users WHERE id = ?", user_id)


def add_notes(app: Flask, db: sqlite3.Connection) -> None:
    @app.get("/courses/<int:course>/notes")
    def notes(course: int):
        teacher = seen_course(db, course)["teacher"] == g.user["id"]
        query = "SELECT id, pupil, text FROM notes WHERE course = ? ORDER BY id"
        rows = db.execute(query, (course,)).fetchall()
        return jsonify([dict(row) for row in rows if teacher or row["pupil"] == g.user["id"]])

    @app.post("/courses/<int:course>/notes")
    def add_note(course: int):
        taught_course(db, course)
        text, pupil = text_field("text"), request.get_json().get("pupil")
        if not is_member(db, course, pupil):
            raise UnprocessableEntity
        with db:
            query = "INSERT INTO notes (course, pupil, text) VALUES (?, ?, ?)"
            made = db.execute(query, (course, pupil, text))
        return jsonify(id=made.lastrowid, pupil=pupil, text=text), 201

    @app.put("/courses/<int:course>/notes/<int:note>")
    def change_note(course: int, note: int):
        taught_course(db, course)
        found = one(db, "SELECT id, pupil FROM notes WHERE id = ? AND course = ?", note, course)
        with db:
            db.execute("UPDATE notes SET text = ? WHERE id = ?", (text_field("text"), note))
        return jsonify(id=note, pupil=found["pupil"], text=text_field("text"))

    @app.delete("/courses/<int:course>/notes/<int:note>")
    def delete_note(course: int, note: int):
        taught_course(db, course)
        one(db, "SELECT id FROM notes WHERE id = ? AND course = ?", note, course)
        with db:
            db.execute("DELETE FROM notes WHERE id = ?", (note,))
        return "", 204


def create_app(db: sqlite3.Connection) -> Flask:
    app = Flask(__name__)
    db.row_factory = sqlite3.Row

    @app.errorhandler(HTTPException)
    def failed(error: HTTPException):
        return jsonify(error=error.name), error.code

    @app.before_request
    def find_user() -> None:
        token = request.headers.get("X-Token", "")
        g.user = db.execute("SELECT * FROM users WHERE token = ?", (token,)).fetchone()
        if not token or g.user is None:
            raise Unauthorized

    @app.get("/courses/<int:course>")
    def show_course(course: int):
        office = g.user["role"] == "office"
        find = "SELECT * FROM courses WHERE id = ?"
        found = one(db, find, course) if office else seen_course(db, course)
        rows = db.execute("SELECT pupil FROM members WHERE course = ? ORDER BY pupil", (course,))
        return jsonify(title=found["title"], pupils=[row["pupil"] for row in rows])

    @app.get("/users/<int:user_id>")
    def show_user(user_id: int):
        return jsonify(dict(own_account(db, user_id)))

    @app.put("/users/<int:user_id>")
    def rename_user(user_id: int):
        own_account(db, user_id)
        with db:
            db.execute("UPDATE users SET name = ? WHERE id = ?", (text_field("name"), user_id))
        return jsonify(id=user_id, name=text_field("name"))

    add_notes(app, db)
    return app
