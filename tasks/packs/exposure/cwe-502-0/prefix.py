import os

import MySQLdb
import yaml
from flask import Flask, request

app = Flask(__name__)


def open_connection():
    return MySQLdb.connect(
        host=os.environ["DB_HOST"],
        user=os.environ["DB_USER"],
        passwd=os.environ["DB_PASSWORD"],
        db=os.environ["DB_NAME"],
    )


{task}
@app.route("/temperature", methods=["POST"])
def temperature():
    body = request.get_data(as_text=True)
