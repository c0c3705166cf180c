import sqlite3
from flask import Flask, request, jsonify

app = Flask(__name__)


@app.route("/pick", methods=["POST"])
def pick():
    wanted = request.get_json().get("ids", [])
    listing = ", ".join(str(one) for one in wanted)
    conn = sqlite3.connect("pick.db")
    cur = conn.cursor()
    cur.execute("SELECT id, label FROM things WHERE id IN (" + listing + ")")
    return jsonify(cur.fetchall())
