from urllib.parse import urlparse
from flask import Flask, redirect, request

app = Flask(__name__)


@app.route("/redirect/<path:url>")
def redirect_url(url):
    u = urlparse(url)
    if u.netloc == "" or u.netloc == "example.com":
        return redirect(u.geturl())
