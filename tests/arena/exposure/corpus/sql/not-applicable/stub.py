from flask import Flask, request
import MySQLdb

app = Flask(__name__)


def get_db():
    return MySQLdb.connect(host="localhost", user="root", passwd="", db="d")


@app.route("/leave")
def leave():
    address = request.args.get("address")
    # TODO: SELECT ... WHERE address = address, then DELETE
    pass
