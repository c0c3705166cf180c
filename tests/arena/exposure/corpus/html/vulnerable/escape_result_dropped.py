from flask import Flask
from markupsafe import escape

app = Flask(__name__)


@app.route("/hello/<username>")
def hello(username):
    escape(username)
    return "Hello, " + username
