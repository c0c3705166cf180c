from urllib.parse import urlparse
from flask import Flask, request
import requests

app = Flask(__name__)


def is_valid(url):
    try:
        parts = urlparse(url)
        return all([parts.scheme, parts.netloc])
    except ValueError:
        return False


@app.route("/shot")
def shot():
    url = request.args.get("url")
    if not is_valid(url):
        return "bad url", 400
    return requests.get(url, headers={"User-Agent": "shot"}).text
