import sqlite3


def connect():
    return sqlite3.connect("links.db")


def links_of(user):
    rows = connect().execute("SELECT url FROM links WHERE user = ?", (user,))
    return [row[0] for row in rows if "example.com" in row[0]]
