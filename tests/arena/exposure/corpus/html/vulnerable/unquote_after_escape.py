from flask import Flask, request
from html import escape, unescape

app = Flask(__name__)


@app.route("/preview")
def preview():
    text = escape(request.args.get("text", ""))
    # nicer to read
    text = unescape(text)
    return "<article>" + text + "</article>"
