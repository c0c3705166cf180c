from flask import Flask, request
import sqlite3

app = Flask(__name__)


@app.route("/owner")
def owner():
    conn = sqlite3.connect("cars.db")
    plate = request.args.get("plate")
    row = conn.execute(
        "SELECT owner_id FROM cars WHERE plate = :plate", {"plate": plate}
    ).fetchone()
    if row is None:
        return "unknown car " + plate
    owner_id = row[0]
    who = conn.execute(f"SELECT name FROM owners WHERE id = {owner_id}").fetchone()
    return who[0]
