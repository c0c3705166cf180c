from urllib.parse import urlparse
from flask import Flask, request
import requests

app = Flask(__name__)


@app.route("/load")
def load():
    url = request.values.get("url")
    if "example.org" in urlparse(url).netloc:
        return requests.get(url).text
    return "forbidden", 403
