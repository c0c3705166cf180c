from urllib.parse import urlparse
from flask import Flask, redirect, request

app = Flask(__name__)


@app.route("/h")
def h():
    u = request.args.get("u", "")
    host = urlparse(u).hostname
    if host is not None and host.startswith("example.com"):
        return redirect(u)
    return "unknown host"
