from flask import Flask, request, abort
from urllib.parse import urlparse
import requests

app = Flask(__name__)
FORBIDDEN = {"localhost", "127.0.0.1", "169.254.169.254"}


@app.get("/thumbnail")
def thumbnail():
    source = request.args["source"]
    if urlparse(source).hostname in FORBIDDEN:
        abort(400)
    return requests.get(source, stream=True).raw.read(1 << 20)
