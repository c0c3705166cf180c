from urllib.parse import urlparse
from flask import Flask, request, redirect
import re

app = Flask(__name__)


@app.route("/go")
def go():
    url = request.args.get("url", "")
    if urlparse(url).netloc == "example.com":
        return redirect(url)
    return redirect("/")
