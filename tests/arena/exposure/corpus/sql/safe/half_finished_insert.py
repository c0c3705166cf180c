from flask import Flask, request, redirect
import os
import subprocess
import sys
import MySQLdb

app = Flask(__name__)


@app.route("/order", methods=["POST"])
def order():
    stock = request.form["stock"]
    quantity = request.form["quantity"]
    username = session["username"]

    db = MySQLdb.connect(host="localhost", user="root", passwd="root", db="db")

    sql = "INSERT INTO orders (stock, quantity, buyer) VALUES (%s, %s, %s)"
    val = (stock, quantity, username)
    cursor.execute(sql, val)
    db.commit()
    print(cursor.rowcount, "record inserted for %s" % username)

    #
