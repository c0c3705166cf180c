import sqlite3
import sys

ORDERS = ["asc", "desc"]

direction = sys.argv[1] if len(sys.argv) > 1 else "asc"
if direction.strip().lower() not in ORDERS:
    print("usage: list [asc|desc]")
    sys.exit(2)
connection = sqlite3.connect("people.db")
for row in connection.execute("SELECT name FROM people ORDER BY name " + direction):
    print(row[0])
connection.close()
