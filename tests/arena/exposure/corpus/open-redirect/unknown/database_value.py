import sqlite3
from flask import Flask, abort, redirect

app = Flask(__name__)


@app.route("/s/<code>")
def short(code):
    with sqlite3.connect("links.db") as db:
        row = db.execute("SELECT url FROM links WHERE code = ?", (code,)).fetchone()
    if row is None:
        abort(404)
    return redirect(row[0])
