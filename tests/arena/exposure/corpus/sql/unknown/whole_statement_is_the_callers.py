import sqlite3


class Db:
    """A thin wrapper: callers bring statements with marks, and values."""

    def __init__(self, path):
        self.con = sqlite3.connect(path)

    def query_db(self, query, args=(), one=False):
        cur = self.con.execute(query, args)
        rows = cur.fetchall()
        cur.close()
        return (rows[0] if rows else None) if one else rows
