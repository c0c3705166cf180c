import flask
from flask import Flask

app = Flask(__name__)
GREETING = flask.Markup("<b>Hello %s</b>")


@app.route("/hello/<username>")
def hello(username):
    return flask.make_response(GREETING % username)
