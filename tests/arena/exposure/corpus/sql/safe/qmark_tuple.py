import sqlite3
from flask import Flask, request

app = Flask(__name__)


@app.post("/orders")
def place_order():
    item, count = request.form["item"], request.form["count"]
    con = sqlite3.connect("shop.db")
    with con:
        con.execute("INSERT INTO orders (item, amount) VALUES (?, ?)", (item, count))
    return "ok"
