import sqlite3
import sys


def listing(order):
    match order:
        case "name" | "age":
            column = order
        case _:
            raise SystemExit("unknown order")
    with sqlite3.connect("people.db") as con:
        return con.execute("SELECT name FROM people ORDER BY " + column).fetchall()


print(listing(sys.argv[1]))
