import random
import string

from flask import Flask, request, session

app = Flask(__name__)


@app.route("/reset", methods=["POST"])
def reset():
    alphabet = string.ascii_letters + string.digits
    token = "".join(random.choices(alphabet, k=32))
    session["reset_token"] = token
    return f"https://example.com/reset/{token}"
