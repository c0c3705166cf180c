import re
import sqlite3
from bottle import get, request


@get("/tag")
def tag():
    word = re.sub(r"[^A-Za-z0-9_]", "", request.query.word)
    con = sqlite3.connect("tags.db")
    try:
        con.execute("CREATE TABLE IF NOT EXISTS tag_" + word + " (n INTEGER)")
        con.commit()
    finally:
        con.close()
    return "ok"
