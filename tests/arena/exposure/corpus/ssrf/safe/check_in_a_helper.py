from urllib.parse import urlparse
from flask import Flask, request
import requests

app = Flask(__name__)
ALLOWED = ("images.example.org", "cdn.example.org")


def is_allowed(url):
    parts = urlparse(url)
    return parts.scheme == "https" and parts.hostname in ALLOWED


@app.route("/fetch", methods=["POST"])
def fetch():
    url = request.get_json()["url"]
    if not is_allowed(url):
        return {"error": "not allowed"}, 400
    return {"length": len(requests.get(url).content)}
