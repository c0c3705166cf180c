from urllib.parse import urlparse
from flask import Flask, redirect, request, abort

app = Flask(__name__)


def host_of(url):
    try:
        return urlparse(url).hostname
    except ValueError:
        return None


@app.route("/x")
def x():
    url = request.args.get("url") or ""
    host = host_of(url)
    if host == "example.com":
        return redirect(url)
    abort(400)
