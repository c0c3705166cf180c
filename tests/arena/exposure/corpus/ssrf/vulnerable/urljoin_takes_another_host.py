from urllib.parse import urljoin
from flask import Flask, request
import requests

app = Flask(__name__)


@app.route("/doc")
def doc():
    page = request.args.get("page", "index.html")
    url = urljoin("https://docs.example.org/", page)
    return requests.get(url).text
