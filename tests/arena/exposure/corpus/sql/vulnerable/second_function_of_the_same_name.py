from flask import Flask, request, redirect
import MySQLdb

app = Flask(__name__)


def get_db():
    return MySQLdb.connect(host="localhost", user="root", passwd="root", db="db")


def insert_message(username, message):
    db = get_db()
    # TODO


@app.route("/post", methods=["POST"])
def post():
    insert_message(session["username"], request.form["message"])
    return redirect("/")


def insert_message(username, message):
    db = get_db()
    c = db.cursor()
    c.execute("INSERT INTO messages VALUES ('" + username + "', '" + message + "')")
    db.commit()
