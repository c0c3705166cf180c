import re
import sqlite3
from flask import Flask, request, abort

app = Flask(__name__)
TABLE_NAME = re.compile(r"^[A-Za-z_][A-Za-z0-9_]*$")


@app.route("/count")
def count():
    table = request.args.get("table", "")
    if not TABLE_NAME.match(table):
        abort(400)
    conn = sqlite3.connect("all.db")
    (number,) = conn.execute(f"SELECT count(*) FROM {table}").fetchone()
    return str(number)
