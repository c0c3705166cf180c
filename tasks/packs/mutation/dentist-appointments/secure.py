import datetime
import sqlite3


def my_appointments(db: sqlite3.Connection, patient: str) -> list[tuple]:
    query = "SELECT id, day, reason FROM appointments WHERE patient = ? ORDER BY day, id"
    return db.execute(query, (patient,)).fetchall()


def show_appointment(db: sqlite3.Connection, patient: str, number: int) -> tuple | None:
    query = "SELECT day, reason FROM appointments WHERE id = ? AND patient = ?"
    return db.execute(query, (number, patient)).fetchone()


def move_appointment(db: sqlite3.Connection, patient: str, number: int, day: str) -> bool:
    """Give the patient's appointment another day; return whether there is such an appointment."""
    day = datetime.date.fromisoformat(day).isoformat()
    row = db.execute("SELECT patient FROM appointments WHERE id = ?", (number,)).fetchone()
    if row is None or row[0] != patient:
        return False
    with db:
        db.execute("UPDATE appointments SET day = ? WHERE id = ?", (day, number))
    return True
