import re
from flask import Flask, redirect

app = Flask(__name__)


def is_example(url):
    # TODO: use a regular expression like ^https?://example.com
    pass


@app.route("/")
def index():
    return redirect("/home")
