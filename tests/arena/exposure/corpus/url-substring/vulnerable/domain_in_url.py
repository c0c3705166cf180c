from flask import Flask, request, redirect
from urllib.parse import urlparse

app = Flask(__name__)


@app.route("/redirect/<path:url>")
def redirect_to(url):
    if "example.com" in url:
        return redirect(url)
    return "Invalid URL"
