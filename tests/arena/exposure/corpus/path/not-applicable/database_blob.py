import sqlite3
from flask import Flask, request, Response

app = Flask(__name__)


@app.route("/img")
def img():
    db = sqlite3.connect("images.db")
    row = db.execute(
        "SELECT data FROM images WHERE name = ?", (request.args.get("name"),)
    ).fetchone()
    return Response(row[0], mimetype="image/png") if row else ("", 404)
