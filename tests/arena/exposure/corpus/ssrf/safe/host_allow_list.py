from urllib.parse import urlparse
from flask import Flask, request, abort
import requests

app = Flask(__name__)
HOSTS = {"images.example.org", "static.example.org"}


@app.route("/image")
def image():
    url = request.args.get("url", "")
    if urlparse(url).hostname not in HOSTS:
        abort(403)
    return requests.get(url).content
