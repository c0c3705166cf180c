from flask import Flask, request, jsonify
import sqlite3

app = Flask(__name__)
COLUMNS = {"name": "text", "price": "number"}


@app.route("/items")
def items():
    order = request.args.get("order", "name")
    direction = "DESC" if request.args.get("dir") == "desc" else "ASC"
    if order not in COLUMNS:
        order = "name"
    conn = sqlite3.connect("shop.db")
    rows = conn.execute("SELECT name FROM items ORDER BY %s %s" % (order, direction))
    return jsonify(rows.fetchall())
