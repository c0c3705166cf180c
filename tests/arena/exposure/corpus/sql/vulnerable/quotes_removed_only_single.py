from flask import Flask, request
import sqlite3

app = Flask(__name__)


@app.route("/search")
def search():
    term = request.values.get("q", "")
    term = term.strip().lower()
    sql = (
        """SELECT title
             FROM pages
             WHERE lower(title) LIKE '%"""
        + term
        + """%'
             LIMIT 20"""
    )
    conn = sqlite3.connect("wiki.db")
    titles = [r[0] for r in conn.execute(sql).fetchall()]
    conn.close()
    return "\n".join(titles)
