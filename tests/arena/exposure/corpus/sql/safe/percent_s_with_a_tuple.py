from flask import Flask, request, redirect
import os
import subprocess
import MySQLdb

app = Flask(__name__)


@app.route("/leave")
def leave():

    address = request.args.get("address")

    db = get_db()

    cur = db.cursor()

    cur.execute("SELECT address FROM readers WHERE address = %s", (address,))

    if cur.fetchone():
        cur.execute("DELETE FROM readers WHERE address = %s", [address])

        db.commit()

        return redirect("/gone?who=%s" % address)

    return "You are not on the list: {}".format(address)
