from urllib.parse import urlparse

from flask import Flask, redirect, request

app = Flask(__name__)


@app.route("/redirect/<path:url>")
def redirect_to(url):
    if urlparse(url).netloc == "example.com":
        return redirect(url)
    return "Invalid URL", 400
