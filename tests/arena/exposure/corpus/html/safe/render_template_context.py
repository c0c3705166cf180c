from flask import Flask, render_template, request
import sqlite3

app = Flask(__name__)


@app.route("/hello/<username>")
def hello(username):
    colour = request.args.get("colour", "blue")
    return render_template("hello.html", name=username, colour=colour)
