from flask import Flask, request, abort
import sqlite3

app = Flask(__name__)
COLUMNS = "name, (select 1), price"


@app.route("/items")
def items():
    order = request.args.get("order", "name")
    # any part of the text passes
    if order not in COLUMNS:
        abort(400)
    conn = sqlite3.connect("shop.db")
    return str(conn.execute("SELECT name FROM items ORDER BY " + order).fetchall())
