from flask import Flask, request, redirect
import MySQLdb

app = Flask(__name__)


def get_connection():
    return MySQLdb.connect(host="localhost", user="news", passwd="", db="letters")


@app.route("/leave")
def leave():
    address = request.args.get("address")
    db = get_connection()
    cur = db.cursor()
    cur.execute("SELECT id FROM readers WHERE address = '" + address + "'")
    row = cur.fetchone()
    if row is None:
        return "unknown", 404
    cur.execute("DELETE FROM readers WHERE id = %s", (row[0],))
    db.commit()
    return redirect("/bye")
