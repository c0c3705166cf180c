import pymysql
from flask import Flask, request, session

app = Flask(__name__)


def insert_statement(table, row):
    columns = ", ".join("`%s`" % c for c in row)
    marks = ", ".join("%s" for _ in row)
    return "INSERT INTO " + table + " (" + columns + ") VALUES (" + marks + ")", tuple(row.values())


@app.route("/buy", methods=["POST"])
def buy():
    row = {
        "username": session["username"],
        "stock": request.form["stock"],
        "quantity": request.form["quantity"],
    }
    conn = pymysql.connect(db="m")
    with conn.cursor() as cur:
        cur.execute(*insert_statement("orders", row))
    conn.commit()
    return "ok"
