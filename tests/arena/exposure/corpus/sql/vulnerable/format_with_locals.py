from flask import Flask, request
import sqlite3

app = Flask(__name__)


@app.route("/item")
def item():
    code = request.args.get("code")
    shop = "main"
    sql = "SELECT price FROM {shop} WHERE code = '{code}'".format(**locals())
    conn = sqlite3.connect("shop.db")
    row = conn.execute(sql).fetchone()
    return str(row[0]) if row else "0"
