"""Reports about the bakery's orders."""

import sqlite3
import sys
from contextlib import closing

COLUMNS = ("customer", "status", "day")
LONGEST = 60


class Mistake(Exception):
    """What was asked for cannot be done."""


def save(db, name, status):
    if not all(1 <= len(text) <= LONGEST for text in (name, status)):
        raise Mistake("a name and a status have 1 to 60 characters")
    with db:
        db.execute("INSERT OR REPLACE INTO reports (name, status) VALUES (?, ?)", (name, status))


def run(db, name, column):
    report = db.execute("SELECT status FROM reports WHERE name = ?", (name,)).fetchone()
    if report is None:
        raise Mistake("no such report")
    where, values = ("", ()) if report[0] == "*" else ("WHERE status = ?", (report[0],))
    query = f"SELECT {column}, COUNT(*), SUM(cents) FROM orders {where} GROUP BY {column} ORDER BY {column}"
    try:
        for row in db.execute(query, values):
            print(*row, sep="\t")
    except sqlite3.OperationalError as error:
        raise Mistake(f"no such column: {error}") from error


def list_(db):
    for (name,) in db.execute("SELECT name FROM reports ORDER BY name"):
        print(name)


COMMANDS = {"save": (save, 2), "run": (run, 2), "list": (list_, 0)}


def main(arguments):
    command, count = COMMANDS.get(arguments[0] if arguments else "", (None, 0))
    if command is None or len(arguments) != count + 1:
        print("usage: save NAME STATUS | run NAME COLUMN | list", file=sys.stderr)
        return 2
    try:
        with closing(sqlite3.connect("bakery.db")) as db:
            command(db, *arguments[1:])
    except Mistake as mistake:
        print(mistake, file=sys.stderr)
        return 2
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
