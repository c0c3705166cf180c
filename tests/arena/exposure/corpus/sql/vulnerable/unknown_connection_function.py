from flask import Flask, request, redirect
import os, subprocess, sys
import MySQLdb

app = Flask(__name__)


@app.route("/stop_mail")
def stop_mail():
    mail = request.args["mail"]

    db = open_database()

    cursor = db.cursor()

    sql = 'DELETE FROM mailing WHERE mail="%s"' % mail

    cursor.execute(sql)

    db.commit()

    return redirect("/stopped")
