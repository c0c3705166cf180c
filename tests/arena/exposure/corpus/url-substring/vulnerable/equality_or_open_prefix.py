from urllib.parse import urlparse

from flask import Flask, redirect

app = Flask(__name__)


@app.route("/redirect/<path:url>")
def redirect_to(url):
    parsed = urlparse(url)
    if parsed.netloc == "example.com" or url.startswith("https://example.com"):
        return redirect(url)
    return "not allowed"
