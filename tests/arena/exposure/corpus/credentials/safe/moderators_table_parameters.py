from flask import Flask, request
import MySQLdb
import os

app = Flask(__name__)
db_password = os.environ["DB_PASSWORD"]


@app.route("/check_mod")
def check_mod():
    username = request.args["username"]
    password = request.args["password"]
    db = MySQLdb.connect(
        os.environ["DB_HOST"], os.environ["DB_USER"], db_password, os.environ["DB_NAME"]
    )
    cur = db.cursor()
    cur.execute(
        "SELECT 1 FROM moderators WHERE username = %s AND password = %s", (username, password)
    )
    found = cur.fetchone() is not None
    db.close()
    return str(found).lower()
