import urlparse
from flask import Flask, redirect, request

app = Flask(__name__)


@app.route("/redirect/<url>")
def redirect_url(url):
    parts = urlparse.urlparse(url)
    if "example.com" in parts.netloc:
        print("ok %s" % url)
        return redirect(url)
    else:
        return "Invalid host: %s" % parts.netloc
