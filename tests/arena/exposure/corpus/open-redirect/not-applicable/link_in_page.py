from html import escape
from flask import Flask, request

app = Flask(__name__)


@app.route("/leave")
def leave():
    # instead of redirect(url): the user decides
    url = request.args.get("url", "/")
    return "<p>You leave for %s</p>" % escape(url)
