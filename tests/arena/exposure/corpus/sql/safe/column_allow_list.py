from flask import Flask, request, abort, jsonify
import sqlite3

app = Flask(__name__)
COLUMNS = ("name", "price", "stock")


@app.route("/items")
def items():
    order = request.args.get("order", "name")
    if order not in COLUMNS:
        abort(400)
    conn = sqlite3.connect("shop.db")
    rows = conn.execute("SELECT name, price FROM items ORDER BY " + order)
    return jsonify(rows.fetchall())
