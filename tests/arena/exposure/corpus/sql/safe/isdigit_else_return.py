from bottle import route, request, response
import sqlite3


@route("/row")
def row():
    key = request.query.get("key", "")
    if not key.isdigit():
        response.status = 400
        return "digits only"
    conn = sqlite3.connect("rows.db")
    cur = conn.cursor()
    cur.execute("SELECT body FROM rows WHERE id = %s" % key)
    return cur.fetchone()[0]
