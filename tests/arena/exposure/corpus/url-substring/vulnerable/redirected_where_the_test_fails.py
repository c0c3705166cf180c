from urllib.parse import urlparse
from flask import Flask, redirect

app = Flask(__name__)


@app.route("/redirect/<path:url>")
def forward(url: str):
    hostname = urlparse(url).hostname or ""
    trusted = hostname == "example.com"
    if not trusted:
        return redirect(url)
    return "not allowed"
