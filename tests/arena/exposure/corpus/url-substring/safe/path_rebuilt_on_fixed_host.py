from urllib.parse import urlparse
from flask import Flask, request, redirect

app = Flask(__name__)


@app.route("/move")
def move():
    url = request.args.get("url", "")
    parts = urlparse(url)
    if parts.hostname == "example.com" and parts.scheme in ("http", "https"):
        return redirect("https://example.com" + "/" + parts.path.lstrip("/"))
    return "other host", 400
