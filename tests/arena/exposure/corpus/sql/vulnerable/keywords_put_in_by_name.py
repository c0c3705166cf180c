import os
import MySQLdb
from flask import Flask, request, session

app = Flask(__name__)

SQL = """
INSERT INTO orders (stock, quantity, username)
VALUES ('%(stock)s', %(quantity)s, '%(username)s')
"""


class Orders:
    def __init__(self, connection):
        self.connection = connection

    def add(self, **order):
        self.connection.cursor().execute(SQL % order)
        self.connection.commit()


@app.route("/buy", methods=["POST"])
def buy():
    orders = Orders(MySQLdb.connect(db=os.environ["DB_NAME"]))
    orders.add(stock=request.form["stock"], quantity=request.form["quantity"], username=session["username"])
    return "bought"
