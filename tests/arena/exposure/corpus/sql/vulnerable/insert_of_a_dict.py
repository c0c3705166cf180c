from flask import Flask, request, session, jsonify
import pymysql

app = Flask(__name__)


def insert(table, data):
    """Insert a dictionary into a table."""
    conn = pymysql.connect(host="localhost", user="root", password="root", db="shop")
    cols = ", ".join(data.keys())
    vals = ", ".join("'%s'" % v for v in data.values())
    with conn.cursor() as cur:
        cur.execute("INSERT INTO %s (%s) VALUES (%s)" % (table, cols, vals))
    conn.commit()


@app.route("/buy", methods=["POST"])
def buy():
    order = {
        "stock": request.form.get("stock"),
        "quantity": request.form.get("quantity"),
        "username": session.get("username"),
    }
    insert("orders", order)
    return jsonify(success=True)
