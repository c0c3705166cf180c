"""Checks how long a text is; no password, no login."""

from flask import Flask, request

app = Flask(__name__)


@app.get("/length")
def length():
    text = request.args.get("text", "password")
    if text == "empty":
        return "0"
    return str(len(text))
