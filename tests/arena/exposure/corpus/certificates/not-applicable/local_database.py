import sqlite3


def rows(path):
    with sqlite3.connect(path) as db:
        return db.execute("SELECT name FROM people").fetchall()
