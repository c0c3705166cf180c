from urllib.parse import urlparse
from flask import Flask, redirect, request

app = Flask(__name__)


@app.route("/redirect")
def redirect_user():
    url = request.args.get("url")
    parsed = urlparse(url)
    # sub domains are fine as well
    if parsed.netloc.endswith("example.com"):
        return redirect(url)
    return "Not allowed", 403
