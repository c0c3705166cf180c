"""Search in the choir's list of members."""

import sqlite3
from contextlib import closing

PAGE = 20
SEARCH = """
    SELECT id, name, town, joined FROM members
    WHERE listed = 1 AND name LIKE ? ESCAPE '!'
    ORDER BY {order}, id LIMIT {size} OFFSET ({page} - 1) * {size}
"""


def _pattern(text):
    for sign in "!%_":
        text = text.replace(sign, "!" + sign)
    return f"%{text}%"


def search_members(text, sort="name", page=1):
    """The public columns of the members whose name contains the text."""
    order = f"{sort[1:]} DESC" if sort.startswith("-") else sort
    if page == 0:
        raise ValueError("pages begin at 1")
    values = (_pattern(text),)
    with closing(sqlite3.connect("choir.db")) as db:
        db.row_factory = sqlite3.Row
        query = SEARCH.format(order=order, page=page, size=PAGE)
        try:
            found = db.execute(query, values).fetchall()
        except sqlite3.OperationalError as error:
            raise ValueError("no such order") from error
    return [dict(row) for row in found]
