from flask import Flask, session
import MySQLdb

app = Flask(__name__)
app.secret_key = "change me"


@app.route("/balance")
def balance():
    username = session["username"]
    db = MySQLdb.connect(host="localhost", user="bank", passwd="", db="bank")
    cursor = db.cursor()
    cursor.execute("SELECT cash FROM accounts WHERE owner = '" + username + "'")
    return str(cursor.fetchone()[0])
