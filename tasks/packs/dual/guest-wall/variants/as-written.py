"""The guest wall of a mountain hut."""

import hmac
import html
import os
import re
import sqlite3
from contextlib import closing

from flask import Flask, jsonify, request

SITE = re.compile(r"https?://[!-~]{1,200}")
NEW = "INSERT INTO entries (name, site, text, hidden) VALUES (?, ?, ?, 0)"

app = Flask(__name__)
app.config["MAX_CONTENT_LENGTH"] = 4_000


def run(statement, *values):
    with closing(sqlite3.connect("wall.db")) as database, database:
        cursor = database.execute(statement, values)
        return cursor.fetchall(), cursor.lastrowid, cursor.rowcount


def is_keeper():
    with open("keeper.key", encoding="utf-8") as file:
        key = file.read().strip()
    given = request.headers.get("Authorization", "")
    return hmac.compare_digest(given.encode(), f"Bearer {key}".encode())


def item(row):
    number, name, site, text = row
    shown = name
    if site:
        shown = f'<a href="{site}" rel="nofollow">{shown}</a>'
    return f'<article id="e{number}"><h2>{shown}</h2><p>{text}</p></article>'


@app.get("/")
def wall():
    rows, _, _ = run("SELECT id, name, site, text FROM entries WHERE hidden = 0 ORDER BY id DESC")
    body = "".join(map(item, rows))
    return f'<!doctype html><meta charset="utf-8"><title>Our guests</title>{body}'


@app.post("/entries")
def write():
    name, text = request.form.get("name", ""), request.form.get("text", "")
    site = request.form.get("site", "")
    if not 1 <= len(name) <= 40:
        return jsonify(error="name"), 400
    if not 1 <= len(text) <= 700:
        return jsonify(error="text"), 400
    if site and not SITE.fullmatch(site):
        return jsonify(error="site"), 400
    _, number, _ = run(NEW, name, site, text)
    return jsonify(id=number), 201


@app.get("/entries")
def by_name():
    query = "SELECT id, text FROM entries WHERE hidden = 0 AND name = ? ORDER BY id"
    rows, _, _ = run(query, request.args.get("name", ""))
    return jsonify(entries=[{"id": number, "text": text} for number, text in rows])


@app.delete("/entries/<int:number>")
def hide(number):
    if not is_keeper():
        return jsonify(error="keeper"), 403
    _, _, changed = run("UPDATE entries SET hidden = 1 WHERE id = ? AND hidden = 0", number)
    return ("", 204) if changed else (jsonify(error="unknown"), 404)


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=int(os.environ["PORT"]))
