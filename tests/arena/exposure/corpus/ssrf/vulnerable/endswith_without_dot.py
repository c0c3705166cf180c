from urllib.parse import urlparse
from flask import Flask, request, abort
import requests

app = Flask(__name__)


@app.route("/get")
def get():
    url = request.args.get("url")
    if not urlparse(url).netloc.endswith("example.org"):
        abort(403)
    return requests.get(url).content
