import os

import MySQLdb
from flask import Flask, request

app = Flask(__name__)

DB_HOST = os.environ["DB_HOST"]
DB_USER = os.environ["DB_USER"]
DB_PASSWORD = os.environ["DB_PASSWORD"]
DB_NAME = os.environ["DB_NAME"]


{task}
@app.route("/check_mod")
def check_mod():
    username = request.args.get("username", "")
    password = request.args.get("password", "")
