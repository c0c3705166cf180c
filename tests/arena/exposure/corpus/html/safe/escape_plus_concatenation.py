from flask import Flask, escape

app = Flask(__name__)


@app.route("/hello/<username>")
def hello_user(username):
    safe_name = escape(username)
    page = "<h1>Hello, " + safe_name + "!</h1>"
    return page
