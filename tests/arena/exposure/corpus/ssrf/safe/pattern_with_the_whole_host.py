import re
from flask import Flask, request, abort
import requests

app = Flask(__name__)
PAGE = re.compile(r"^https://docs\.example\.org/[a-z0-9/_-]+$")


@app.route("/doc")
def doc():
    url = request.args.get("url", "")
    if PAGE.match(url) is None:
        abort(400)
    return requests.get(url).text
