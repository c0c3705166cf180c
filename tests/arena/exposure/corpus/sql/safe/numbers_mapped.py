from flask import Flask, request, jsonify
import sqlite3

app = Flask(__name__)


@app.route("/pick")
def pick():
    numbers = list(map(int, request.args.get("ids", "").split(",")))
    limit = request.args.get("limit", 10, type=int)
    listing = ",".join(str(n) for n in numbers)
    conn = sqlite3.connect("pick.db")
    rows = conn.execute("SELECT label FROM things WHERE id IN (%s) LIMIT %s" % (listing, limit))
    return jsonify([r[0] for r in rows])
