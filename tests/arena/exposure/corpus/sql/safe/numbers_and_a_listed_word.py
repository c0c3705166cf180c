from flask import Flask, request, session, abort
import pymysql

app = Flask(__name__)
STOCKS = {"AAPL", "MSFT", "GOOG"}


@app.route("/buy", methods=["POST"])
def buy():
    stock = request.form["stock"]
    if stock not in STOCKS:
        abort(400)
    quantity = int(request.form["quantity"])
    user_id = int(session["user_id"])
    conn = pymysql.connect(db="market")
    cur = conn.cursor()
    cur.execute(f"INSERT INTO orders (user_id, stock, quantity) VALUES ({user_id}, '{stock}', {quantity})")
    conn.commit()
    return "done"
