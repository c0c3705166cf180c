from urllib.parse import urlparse
from flask import Flask, request
import requests

app = Flask(__name__)
HOSTS = ["images.example.org"]


@app.route("/image")
def image():
    url = request.args.get("url")
    answer = requests.get(url)
    if urlparse(url).hostname not in HOSTS:
        return "forbidden", 403
    return answer.content
