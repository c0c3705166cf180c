from urllib.parse import urlparse
from flask import Flask, request, redirect

app = Flask(__name__)


@app.route("/visit")
def visit():
    u = request.args.get("u", "")
    if urlparse(u).scheme in ("http", "https"):
        return redirect(u)
    return "bad scheme", 400
