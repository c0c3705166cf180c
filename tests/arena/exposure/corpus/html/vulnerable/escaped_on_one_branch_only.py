from flask import Flask, request
from markupsafe import escape

app = Flask(__name__)


@app.route("/hello/<username>")
def hello(username):
    if len(username) > 40:
        username = escape(username[:40])
    name = username
    return "<h1>Hello {}</h1>".format(name)
