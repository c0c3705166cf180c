from flask import Flask, request
from html import escape

app = Flask(__name__)


@app.route("/card")
def card():
    first = escape(request.args.get("first", ""))
    last = request.args.get("last", "")
    return "<p>{} {}</p>".format(first, last)
