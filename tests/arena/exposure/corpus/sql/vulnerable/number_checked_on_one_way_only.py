from flask import Flask, request, abort
import sqlite3

app = Flask(__name__)


@app.route("/row")
def row():
    key = request.args.get("key", "")
    if len(key) > 60:
        abort(400)
    if key.isdigit():
        where = "id = " + key
    else:
        where = "slug = '" + key + "'"
    conn = sqlite3.connect("rows.db")
    found = conn.execute("SELECT body FROM rows WHERE " + where).fetchone()
    return found[0] if found else ("", 404)
