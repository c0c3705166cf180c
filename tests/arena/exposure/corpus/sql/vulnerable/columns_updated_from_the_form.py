import pymysql
from flask import Flask, request, session

app = Flask(__name__)


@app.route("/buy", methods=["POST"])
def buy():
    row = {"username": session["username"], "side": "buy"}
    row.update(request.form)
    names = ", ".join(name for name in row)
    marks = ", ".join(["%s"] * len(row))
    connection = pymysql.connect(db="market")
    with connection.cursor() as cursor:
        cursor.execute(f"INSERT INTO orders ({names}) VALUES ({marks})", list(row.values()))
    connection.commit()
    return "ok"
