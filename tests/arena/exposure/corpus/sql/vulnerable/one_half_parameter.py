# Only the value is a parameter; the column to sort by is not.
from flask import Flask, request, render_template
import pymysql

app = Flask(__name__)


def connect():
    return pymysql.connect(host="db", user="web", password="", database="shop")


@app.route("/items")
def items():
    kind = request.args.get("kind", "all")
    order = request.args.get("order", "name")
    conn = connect()
    try:
        with conn.cursor() as cursor:
            sql = "SELECT name, price FROM items WHERE kind = %s ORDER BY " + order
            cursor.execute(sql, (kind,))
            found = cursor.fetchall()
    finally:
        conn.close()
    return render_template("items.html", items=found)
