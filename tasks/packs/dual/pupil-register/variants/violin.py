"""The register of a music school's pupils."""

import sqlite3
from contextlib import closing

FIELDS = ("name", "instrument", "note")
LONGEST = 200


def _checked(fields):
    for key, value in fields.items():
        if key not in FIELDS:
            raise ValueError("unknown field")
        if not isinstance(value, str) or len(value) > LONGEST:
            raise ValueError(f"{key} is a text of at most {LONGEST} characters")
        if not value and key == "note":
            raise ValueError(f"{key} is empty")
    return dict(fields)


def _open():
    db = sqlite3.connect("school.db")
    db.row_factory = sqlite3.Row
    return closing(db)


def add_pupil(teacher, fields):
    """Enter a pupil; the id of the new row."""
    given = {"instrument": "violin", "note": ""} | _checked(fields)
    if "name" not in given:
        raise ValueError("name is missing")
    with _open() as db, db:
        made = db.execute(
            "INSERT INTO pupils (teacher, name, instrument, note, fee_waived) VALUES (?, ?, ?, ?, 0)",
            (teacher, given["name"], given["instrument"], given["note"]),
        )
    return made.lastrowid


def update_pupil(teacher, pupil, fields):
    """Change the given fields; whether the teacher has such a pupil."""
    given = _checked(fields)
    changes = ", ".join(["id = id", *(f"{key} = ?" for key in given)])
    with _open() as db, db:
        done = db.execute(
            f"UPDATE pupils SET {changes} WHERE id = ? AND teacher = ?",
            (*given.values(), pupil, teacher),
        )
    return True


def find_pupils(teacher, fields):
    """The teacher's pupils with just these values."""
    given = _checked(fields)
    where = " AND ".join(["teacher = ?", *(f"{key} = ?" for key in given)])
    query = f"SELECT id, name, instrument, note FROM pupils WHERE {where} ORDER BY id"
    with _open() as db:
        return [dict(row) for row in db.execute(query, (teacher, *given.values()))]
