import sqlite3

from flask import Flask, request

app = Flask(__name__)


@app.route("/mod", methods=["POST"])
def mod():
    password = request.form.get("password", "")
    row = (
        sqlite3.connect("forum.db")
        .execute("SELECT password, role FROM users WHERE name = ?", (request.form["name"],))
        .fetchone()
    )
    if row is None:
        return "no"
    db_password, role = row
    if password == db_password and role == "moderator":
        return "yes"
    return "no"
