from flask import Flask, request
import MySQLdb

app = Flask(__name__)


@app.route("/leave")
def leave():
    address = request.args.get("address")
    db = MySQLdb.connect(host="localhost", user="news", passwd="", db="letters")
    cur = db.cursor()
    cur.execute("SELECT address FROM readers")
    known = [row[0] for row in cur.fetchall()]
    # an address with a quote can be registered as well
    if address not in known:
        return "unknown"
    cur.execute("DELETE FROM readers WHERE address = '%s'" % address)
    db.commit()
    return "gone"
