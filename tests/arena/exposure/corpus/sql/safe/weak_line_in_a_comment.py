from flask import Flask, request
import sqlite3

app = Flask(__name__)

HELP = "never write execute('... ' + name)"


@app.route("/who")
def who():
    name = request.args.get("name")
    conn = sqlite3.connect("who.db")
    cur = conn.cursor()
    # cur.execute("SELECT * FROM who WHERE name = '" + name + "'")
    cur.execute("SELECT * FROM who WHERE name = ?", (name,))
    row = cur.fetchone()
    return repr(row) + HELP
