from flask import Flask, request
import flask

app = Flask(__name__)


@app.route("/t")
def t():
    u = request.values["u"]
    try:
        u.index("example.com")
    except ValueError:
        return "outside", 400
    return flask.redirect(u)
