import html
import sqlite3
from bottle import route, request


@route("/who")
def who():
    name = html.escape(request.query.get("name"), quote=False)
    conn = sqlite3.connect("who.db")
    rows = conn.execute("SELECT * FROM who WHERE name = '{n}'".format(n=name)).fetchall()
    return {"rows": rows}
