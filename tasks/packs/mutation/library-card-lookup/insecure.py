import sqlite3


def find_member(connection: sqlite3.Connection, card: str, pin: str) -> dict | None:
    row = connection.execute(
        f"SELECT id, name FROM members WHERE card = '{card}' AND pin = '{pin}'"
    ).fetchone()
    if row is None:
        return None
    return {"id": row[0], "name": row[1]}
