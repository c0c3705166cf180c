"""Search in the choir's list of members."""

import sqlite3
from contextlib import closing

ORDERS = {
    "name": "name ASC",
    "-name": "name DESC",
    "town": "town ASC",
    "-town": "town DESC",
    "joined": "joined ASC",
    "-joined": "joined DESC",
}
PAGE = 20
SEARCH = """
    SELECT id, name, town, joined FROM members
    WHERE listed = 1 AND name LIKE ? ESCAPE '!'
    ORDER BY {order}, id LIMIT ? OFFSET ?
"""


def _pattern(text):
    for sign in "!%_":
        text = text.replace(sign, "!" + sign)
    return f"%{text}%"


def search_members(text, sort="name", page=1):
    """The public columns of the members whose name contains the text."""
    if not isinstance(sort, str) or sort not in ORDERS:
        raise ValueError("unknown order")
    if type(page) is not int or not 1 <= page <= 10**9:
        raise ValueError("page is a whole number of at least 1")
    values = (_pattern(text), PAGE, PAGE * (page - 1))
    with closing(sqlite3.connect("choir.db")) as db:
        db.row_factory = sqlite3.Row
        found = db.execute(SEARCH.format(order=ORDERS[sort]), values).fetchall()
    return [dict(row) for row in found]
