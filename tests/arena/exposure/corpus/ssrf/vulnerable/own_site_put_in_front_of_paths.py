from flask import Flask, request
from urllib.request import urlopen

app = Flask(__name__)


@app.route("/include")
def include():
    page = request.args["page"]
    if not page.startswith("http"):
        page = "https://www.example.org/" + page
    return urlopen(page).read()
