from flask import Flask, request, jsonify
import sqlite3

app = Flask(__name__)


@app.route("/page")
def page():
    try:
        number = int(request.args.get("n", "0"))
    except ValueError:
        return "not a number", 400
    conn = sqlite3.connect("pages.db")
    rows = conn.execute(f"SELECT body FROM pages LIMIT 10 OFFSET {number * 10}").fetchall()
    return jsonify(rows)
