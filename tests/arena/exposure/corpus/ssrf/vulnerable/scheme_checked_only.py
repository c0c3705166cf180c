from urllib.parse import urlparse
from flask import Flask, request
import requests

app = Flask(__name__)


@app.route("/fetch", methods=["POST"])
def fetch():
    url = request.get_json()["url"]
    parts = urlparse(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        return {"error": "no web address"}, 400
    answer = requests.get(url, allow_redirects=False)
    return {"length": len(answer.content)}
