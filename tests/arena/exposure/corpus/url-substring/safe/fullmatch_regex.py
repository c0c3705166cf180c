import re
from flask import Flask, redirect, request

app = Flask(__name__)


@app.route("/r")
def r():
    url = request.args.get("url", "")
    if re.fullmatch(r"https://example\.com(/[\w/-]*)?", url):
        return redirect(url)
    return redirect("/")
