from urllib.parse import urlparse
from flask import Flask, request, abort
import requests

app = Flask(__name__)


@app.get("/thumbnail")
def thumbnail():
    source = request.args["source"]
    host = urlparse(source).hostname or ""
    if not (host == "example.org" or host.endswith(".example.org")):
        abort(400)
    return requests.get(source).content
