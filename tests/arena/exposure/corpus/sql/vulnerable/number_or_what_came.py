import MySQLdb
from flask import Flask, request, session
app = Flask(__name__)

@app.route("/buy", methods=["POST"])
def buy():
    quantity = request.form["quantity"]
    try:
        quantity = int(quantity)
    except ValueError:
        pass
    c = MySQLdb.connect(db="m").cursor()
    c.execute("INSERT INTO orders (username, stock, quantity) VALUES (%%s, %%s, %s)" % quantity,
              (session["username"], request.form["stock"]))
    return "ok"
