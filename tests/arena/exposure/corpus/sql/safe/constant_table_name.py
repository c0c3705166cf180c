import sqlite3

TABLE = "measurements"
FIELDS = ["taken", "value"]


def setup(path):
    conn = sqlite3.connect(path)
    conn.execute("CREATE TABLE IF NOT EXISTS %s (%s)" % (TABLE, ", ".join(FIELDS)))
    return conn


def add(conn, taken, value):
    conn.execute("INSERT INTO {} VALUES (?, ?)".format(TABLE), (taken, value))
    conn.commit()


if __name__ == "__main__":
    connection = setup("m.db")
    add(connection, input("when? "), input("how much? "))
