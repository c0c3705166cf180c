from urllib.parse import urlparse
from flask import Flask, request, redirect

app = Flask(__name__)


@app.route("/redirect")
def sub():
    url = request.args.get("url", "")
    host = urlparse(url).hostname or ""
    if host == "example.com" or host.endswith(".example.com"):
        return redirect(url)
    return "no"
