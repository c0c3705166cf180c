import bleach
from flask import Flask, request

app = Flask(__name__)


@app.route("/comment", methods=["POST"])
def comment():
    text = bleach.clean(request.form["text"], tags=["b", "i"], strip=True)
    return "<div class=comment>" + text + "</div>"
