"""The stock ledger: one table for each year."""

import sqlite3
from contextlib import closing

MOST_AMOUNT, MOST_ENTRIES, MOST_HISTORY = 1_000_000, 1000, 500


def _is_whole(value, low, high):
    return type(value) is int and low <= value <= high


def _table(db, year):
    """The name of the year's table, or None."""
    if not _is_whole(year, 0, 9999):
        return None
    name = f"ledger_{year:04d}"
    found = db.execute("SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = ?", (name,))
    return name if found.fetchone() else None


def _sum(db, table, article):
    query = f"SELECT SUM(amount) FROM {table} WHERE article = ?"
    return db.execute(query, (article,)).fetchone()[0]


def balance(year, article):
    """How much there is of an article; None without such a ledger."""
    with closing(sqlite3.connect("stock.db")) as db:
        table = _table(db, year)
        return _sum(db, table, article) if table else None


def history(year, article, count):
    """The last movements, the newest first."""
    if not _is_whole(count, 1, MOST_HISTORY):
        return None
    with closing(sqlite3.connect("stock.db")) as db:
        table = _table(db, year)
        if table is None:
            return None
        query = f"SELECT amount, note FROM {table} WHERE article = ? ORDER BY id LIMIT ?"
        return [list(row) for row in db.execute(query, (article, count))]


def _is_entry(entry):
    if not isinstance(entry, list) or len(entry) != 3:
        return False
    article, amount, note = entry
    texts = isinstance(article, str) and isinstance(note, str)
    return (
        texts
        and 1 <= len(article) <= 50
        and len(note) <= 200
        and _is_whole(amount, -MOST_AMOUNT, MOST_AMOUNT)
        and amount != 0
    )


def book(year, entries):
    """Enter all movements, or none; whether they were entered."""
    if not isinstance(entries, list) or not 1 <= len(entries) <= MOST_ENTRIES:
        return False
    if not all(_is_entry(entry) for entry in entries):
        return False
    with closing(sqlite3.connect("stock.db", isolation_level=None)) as db:
        table = _table(db, year)
        if table is None:
            return False
        db.execute("BEGIN IMMEDIATE")
        for article, amount, note in entries:
            if (_sum(db, table, article) or 0) + amount - 1 < 0:
                db.execute("ROLLBACK")
                return False
            db.execute(
                f"INSERT INTO {table} (article, amount, note) VALUES (?, ?, ?)",
                (article, amount, note),
            )
        db.execute("COMMIT")
    return True
