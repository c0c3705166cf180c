#!/usr/bin/env python
import sys, sqlite3


def drop(name):
    conn = sqlite3.connect("tables.db")
    conn.executescript("DROP TABLE IF EXISTS %s; VACUUM;" % name)
    conn.close()


if len(sys.argv) < 2:
    print("usage: drop TABLE")
    sys.exit(2)
drop(sys.argv[1])
