"""The value is put in by % before the driver sees it."""

import sqlite3
from flask import Flask, request

app = Flask(__name__)


@app.post("/orders")
def place_order():
    item = request.form["item"]
    count = request.form["count"]
    con = sqlite3.connect("shop.db")
    with con:
        con.execute("INSERT INTO orders (item, amount) VALUES ('%s', '%s')" % (item, count))
    con.close()
    return "ok"
