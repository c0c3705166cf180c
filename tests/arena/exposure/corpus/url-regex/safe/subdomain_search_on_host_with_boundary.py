import re
from urllib.parse import urlsplit
from flask import Flask, redirect, request

app = Flask(__name__)


@app.route("/a")
def a():
    url = request.args.get("url", "")
    hostname = urlsplit(url).hostname
    if hostname and re.search(r"(^|\.)example\.com$", hostname):
        return redirect(url)
    return "not allowed", 403
