import secrets

from flask import Flask, session

app = Flask(__name__)


@app.route("/reset", methods=["POST"])
def reset():
    token = secrets.token_urlsafe(32)
    session["reset_token"] = token
    return f"https://example.com/reset/{token}"
