from flask import Flask, request, redirect
from urllib.parse import urlparse

app = Flask(__name__)


@app.route("/go")
def go():
    url = request.args.get("url", "/")
    if urlparse(url).netloc not in ("", "www.example.org"):
        url = "/"
    return redirect(url)
