from urllib.parse import urlparse
from flask import Flask, redirect, request

app = Flask(__name__)
DOMAINS = ["example.com", "example.net"]


@app.route("/any")
def any_of():
    url = request.args.get("url", "")
    host = urlparse(url).netloc
    if any(host == d or host.endswith("." + d) for d in DOMAINS):
        return redirect(url)
    return "no", 403
