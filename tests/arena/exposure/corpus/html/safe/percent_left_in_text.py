import flask
from flask import Flask, render_template
import requests

app = Flask(__name__)


@app.route("/hi/<username>")
def hi(username):
    # the formatting was forgotten: the text is sent as it stands
    return "<p>Hi, %s!</p>"
