import re
from flask import Flask, request
import MySQLdb

app = Flask(__name__)


@app.route("/leave")
def leave():
    mail = request.args.get("mail", "")
    if not re.match(r"[^@]+@[^@]+\.[^@]+", mail):
        return "no address", 400
    db = MySQLdb.connect(host="localhost", user="u", passwd="p", db="d")
    cur = db.cursor()
    cur.execute("DELETE FROM readers WHERE mail='%s'" % (mail,))
    db.commit()
    return "done"
