import os

import MySQLdb
from flask import Flask, redirect, request, session

app = Flask(__name__)
app.secret_key = os.environ["APP_KEY"]


def open_connection():
    return MySQLdb.connect(
        host=os.environ["DB_HOST"],
        user=os.environ["DB_USER"],
        passwd=os.environ["DB_PASSWORD"],
        db=os.environ["DB_NAME"],
    )


{task}
@app.route("/unsubscribe")
def unsubscribe():
    email = request.args.get("email", "")
    connection = open_connection()
    cursor = connection.cursor()
