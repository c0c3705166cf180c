from urllib.parse import urlparse
from flask import Flask, redirect, request

app = Flask(__name__)


@app.route("/labels")
def labels():
    url = request.args.get("url", "")
    host = urlparse(url).hostname or ""
    if ".".join(host.split(".")[-2:]) == "example.com":
        return redirect(url)
    return "no", 403
