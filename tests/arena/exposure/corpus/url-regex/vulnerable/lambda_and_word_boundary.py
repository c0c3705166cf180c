import re
from flask import Flask, redirect, request

app = Flask(__name__)
inside = lambda u: re.search(r"^https?://(www\.)?example\.com\b", u)


@app.route("/l")
def l():
    u = request.args.get("u", "")
    if inside(u):
        return redirect(u)
    return "outside"
