import re
from flask import Flask, request, abort
import requests

app = Flask(__name__)


@app.route("/doc")
def doc():
    url = request.args.get("url", "")
    if not re.match(r"^https?://.*example\.org", url):
        abort(400)
    return requests.get(url).text
