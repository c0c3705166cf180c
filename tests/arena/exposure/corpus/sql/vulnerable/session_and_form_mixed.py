from flask import Flask, request, redirect, session
import MySQLdb

app = Flask(__name__)


def add(username, message):
    db = MySQLdb.connect(host="localhost", user="u", passwd="p", db="d")
    cursor = db.cursor()
    cursor.execute("INSERT INTO wall VALUES ('" + username + "', '" + message + "')")
    db.commit()
    db.close()


@app.route("/say", methods=["POST"])
def say():
    if "username" not in session:
        return redirect("/login")
    add(session["username"], request.form["message"])
    return redirect("/")
