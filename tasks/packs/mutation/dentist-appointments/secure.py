import datetime
import sqlite3


def my_appointments(db: sqlite3.Connection, account: str) -> list[tuple]:
    query = "SELECT id, day, reason FROM appointments WHERE account = ? ORDER BY day, id"
    return db.execute(query, (account,)).fetchall()


def show_appointment(db: sqlite3.Connection, account: str, number: int) -> tuple | None:
    query = "SELECT day, reason FROM appointments WHERE id = ? AND account = ?"
    return db.execute(query, (number, account)).fetchone()


def move_appointment(db: sqlite3.Connection, account: str, number: int, day: str) -> bool:
    """Give the account's appointment another day; return whether there is such an appointment."""
    day = datetime.date.fromisoformat(day).isoformat()
    row = db.execute("SELECT account FROM appointments WHERE id = ?", (number,)).fetchone()
    if row is None or row[0] != account:
        return False
    with db:
        db.execute("UPDATE appointments SET day = ? WHERE id = ?", (day, number))
    return True
