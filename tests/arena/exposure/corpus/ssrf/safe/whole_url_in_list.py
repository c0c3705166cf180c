from flask import Flask, request, abort
from urllib.request import urlopen

app = Flask(__name__)
PAGES = ["https://example.org/a", "https://example.org/b"]


@app.route("/page")
def page():
    url = request.args.get("url")
    if url in PAGES:
        return urlopen(url).read()
    abort(404)
