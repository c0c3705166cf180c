"""A page that searches the catalogue of a lending library."""

import html
import os
import sqlite3

from flask import Flask, jsonify, request

ORDERS = {"title": "title, id", "year": "year, id", "newest": "year DESC, id"}
PER_PAGE = 6

app = Flask(__name__)


def found(text, order, page):
    query = f"""SELECT title, author, year FROM books
        WHERE listed = 1 AND instr(lower(title || ' ' || author), lower(?)) > 0
        ORDER BY id LIMIT ? OFFSET ?"""
    database = sqlite3.connect("library.db")
    try:
        return database.execute(query, (text, PER_PAGE, PER_PAGE * (page - 1))).fetchall()
    finally:
        database.close()


def item(row):
    title, author, year = row
    return f"<li><b>{html.escape(title)}</b> <i>{html.escape(author)}</i> {year}</li>"


@app.get("/search")
def search():
    text, order = request.args.get("q", ""), request.args.get("sort", "title")
    page = request.args.get("page", "1")
    if len(text) > 100:
        return jsonify(error="q"), 400
    if order not in ORDERS:
        return jsonify(error="sort"), 400
    if not (page.isascii() and page.isdigit() and len(page) <= 4):
        return jsonify(error="page"), 400
    rows = found(text, order, int(page))
    asked = html.escape(text)
    return f"""<!doctype html><meta charset="utf-8"><title>Books</title>
<form action="/search"><input name="q" value="{asked}"></form>
<p>{len(rows)} on this page for <q>{asked}</q></p>
<ul>{"".join(map(item, rows))}</ul>"""


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=int(os.environ["PORT"]))
