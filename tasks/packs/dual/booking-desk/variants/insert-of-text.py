"""The booking desk of a town's meeting rooms."""

import hmac
import os
import re
import secrets
import sqlite3
from contextlib import closing

from flask import Flask, jsonify, request

DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
HOURS = range(8, 20)
SORTS = {"hour": "hour, room", "room": "room, hour"}

app = Flask(__name__)


class Refused(Exception):
    def __init__(self, status, error):
        super().__init__(error)
        self.status, self.error = status, error


@app.errorhandler(Refused)
def refused(reason):
    return jsonify(error=reason.error), reason.status


@app.errorhandler(404)
def no_such_path(_):
    return jsonify(error="booking"), 404


def run(statement, *values):
    with closing(sqlite3.connect("desk.db")) as database, database:
        cursor = database.execute(statement, values)
        return cursor.fetchall(), cursor.lastrowid


def person():
    """The number and the name of whose card the request shows."""
    card = request.headers.get("X-Card", "")
    found, _ = run("SELECT id, name, card FROM people")
    for number, name, known in found:
        if hmac.compare_digest(known.encode(), card.encode()):
            return number, name
    raise Refused(401, "card")


def log(event, who, detail):
    printable = "".join(c if c.isprintable() else "?" for c in detail)
    with open("desk.log", "a", encoding="utf-8") as file:
        file.write(f"{event} {who}: {printable}\n")


def fields():
    body = request.get_json(force=True, silent=True)
    body = body if isinstance(body, dict) else {}
    day, hour, purpose = (body.get(key) for key in ("day", "hour", "purpose"))
    if not isinstance(day, str) or not DAY.fullmatch(day):
        raise Refused(400, "day")
    if type(hour) is not int or hour not in HOURS:
        raise Refused(400, "hour")
    if not isinstance(purpose, str) or not 1 <= len(purpose) <= 80:
        raise Refused(400, "purpose")
    return body.get("room"), day, hour, purpose


def own(number):
    owner, name = person()
    query = "SELECT room, day, hour, code FROM bookings WHERE id = ? AND person = ?"
    found, _ = run(query, number, owner) if number < 2**63 else ([], None)
    if not found:
        raise Refused(404, "booking")
    return name, found[0]


@app.post("/bookings")
def book():
    number, name = person()
    room, day, hour, purpose = fields()
    known, _ = run("SELECT 1 FROM rooms WHERE name = ?", room if isinstance(room, str) else "")
    if not known:
        raise Refused(404, "room")
    code = secrets.token_hex(8)
    statement = f"""INSERT INTO bookings (room, day, hour, person, purpose, code)
        SELECT ?, ?, ?, ?, '{purpose}', ? WHERE NOT EXISTS
        (SELECT 1 FROM bookings WHERE room = ? AND day = ? AND hour = ?)"""
    values = (room, day, hour, number, code, room, day, hour)
    with closing(sqlite3.connect("desk.db")) as database, database:
        cursor = database.execute(statement, values)
        if not cursor.rowcount:
            raise Refused(409, "taken")
    log("booked", name, purpose)
    return jsonify(id=cursor.lastrowid, code=code), 201


@app.get("/days/<day>")
def plan(day):
    person()
    sort = request.args.get("sort", "hour")
    if not DAY.fullmatch(day):
        raise Refused(400, "day")
    if sort not in SORTS:
        raise Refused(400, "sort")
    query = f"SELECT room, hour FROM bookings WHERE day = ? ORDER BY {SORTS[sort]}"
    rows, _ = run(query, day)
    return jsonify(bookings=[{"room": room, "hour": hour} for room, hour in rows])


@app.get("/bookings/<int:number>")
def show(number):
    _, (room, day, hour, code) = own(number)
    return jsonify(id=number, room=room, day=day, hour=hour, code=code)


@app.delete("/bookings/<int:number>")
def cancel(number):
    name, (room, _, _, _) = own(number)
    run("DELETE FROM bookings WHERE id = ?", number)
    log("cancelled", name, room)
    return "", 204


if __name__ == "__main__":
    app.run(host="127.0.0.1", port=int(os.environ["PORT"]))
