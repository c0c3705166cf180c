import html
from flask import Flask, request

app = Flask(__name__)


def clean(text):
    return html.escape(text, quote=True)


def greeting_for(user):
    return "Good day, {}!".format(clean(user))


@app.route("/greet", methods=["POST"])
def greet():
    return "<p>" + greeting_for(request.form["user"]) + "</p>"
