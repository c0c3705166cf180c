import csv
import sys
import sqlite3 as sq


def load(path):
    rows = []
    with open(path, newline="") as f:
        for name, amount in csv.reader(f):
            rows.append((name, float(amount)))
    with sq.connect("sales.db") as c:
        c.executemany("INSERT INTO sales VALUES (?, ?)", rows)
        print(f"{len(rows)} rows from {path}")


load(sys.argv[1])
