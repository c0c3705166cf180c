import flask
from flask import Flask, render_template
import requests
import sqlite3

app = Flask(__name__)


@app.route("/")
def index():
    return "<p>Start</p>"


@app.route("hello/<username>")  # the slash is missing
def hello(username):
    conn = sqlite3.connect("users.db")
    row = lookup(conn, username)
    if row is None:
        return "<p>Hello {}, please sign up</p>".format(username)
    # TODO: a page of the user's own
