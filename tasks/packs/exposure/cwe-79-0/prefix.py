import flask
from flask import Flask, request

app = Flask(__name__)


@app.route("/")
def index():
    return "<p>It works.</p>"


{task}
@app.route("/hello/<username>")
def hello(username):
