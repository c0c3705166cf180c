"""Readers' comments on the articles of a paper."""

import hmac
import os
import re
import sqlite3

from flask import Flask, abort, g, jsonify, request
from werkzeug.exceptions import HTTPException

LONGEST = 2000
MOST, USUAL = 50, 20
NUMBER = re.compile(r"[0-9]{1,9}")
COMMENT = """
    SELECT comments.id, article, readers.name, text
    FROM comments JOIN readers ON readers.id = comments.reader
"""

app = Flask(__name__)


def database():
    if "db" not in g:
        g.db = sqlite3.connect("paper.db")
        g.db.row_factory = sqlite3.Row
    return g.db


@app.teardown_appcontext
def close(_error):
    if "db" in g:
        g.db.close()


@app.errorhandler(Exception)
def told(error):
    status = error.code if isinstance(error, HTTPException) else 500
    return jsonify(error="this cannot be done"), status


def asking():
    """The id of the reader who asks."""
    name, code = request.headers.get("X-Reader", ""), request.headers.get("X-Code", "")
    row = database().execute("SELECT id, code FROM readers WHERE name = ?", (name,)).fetchone()
    if row is None or not hmac.compare_digest(row["code"].encode(), code.encode()):
        abort(401)
    return row["id"]


def number(name, usual):
    text = request.args.get(name, str(usual))
    if not NUMBER.fullmatch(text):
        abort(400)
    return int(text)


def texts(*names):
    """These texts of the body."""
    body = request.get_json(force=True)
    if not isinstance(body, dict):
        abort(400)
    values = [body.get(name) for name in names]
    if not all(isinstance(value, str) and 1 <= len(value) <= LONGEST for value in values):
        abort(400)
    return values


def comment(id_):
    return dict(database().execute(f"{COMMENT} WHERE comments.id = ?", (id_,)).fetchone())


@app.get("/comments")
def show():
    article = request.args.get("article")
    count, after = min(number("count", USUAL), MOST), number("after", 0)
    if article is None:
        abort(400)
    query = f"{COMMENT} WHERE article = ? AND comments.id > ? AND held = 0 ORDER BY comments.id DESC LIMIT ?"
    return jsonify([dict(row) for row in database().execute(query, (article, after, count))])


@app.post("/comments")
def add():
    reader = asking()
    article, text = texts("article", "text")
    with database() as db:
        made = db.execute(
            "INSERT INTO comments (article, reader, text, held) VALUES (?, ?, ?, 0)",
            (article, reader, text),
        )
    return jsonify(comment(made.lastrowid)), 201


@app.patch("/comments/<int:id_>")
def change(id_):
    reader = asking()
    (text,) = texts("text")
    with database() as db:
        done = db.execute(
            "UPDATE comments SET text = ? WHERE id = ? AND reader = ?", (text, id_, reader)
        )
    if not done.rowcount:
        abort(404)
    return jsonify(comment(id_))


@app.delete("/comments/<int:id_>")
def remove(id_):
    reader = asking()
    with database() as db:
        done = db.execute("DELETE FROM comments WHERE id = ? AND reader = ?", (id_, reader))
    if not done.rowcount:
        abort(404)
    return "", 200


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=int(os.environ["PORT"]))
