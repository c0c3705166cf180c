from urllib.parse import urlparse
from flask import Flask, redirect, request, abort

app = Flask(__name__)


@app.route("/go")
def go():
    url = request.args.get("url")
    if urlparse(url).netloc not in ("example.com", "www.example.com"):
        abort(403)
    return redirect(url)
