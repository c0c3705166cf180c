from urllib.parse import quote, urlparse

from flask import Flask, redirect

app = Flask(__name__)


@app.route("/redirect/<path:url>")
def redirect_to(url):
    host = urlparse(url).netloc
    if host != "example.com" and not host.endswith(".example.com"):
        return redirect("https://example.com/not-allowed?url=" + quote(url))
    return redirect(url)
