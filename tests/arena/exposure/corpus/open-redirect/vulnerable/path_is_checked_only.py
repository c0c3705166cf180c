from flask import Flask, redirect, request
from urllib.parse import urlparse

app = Flask(__name__)


@app.route("/files")
def files():
    target = request.values.get("target")
    if urlparse(target).path.startswith("/files/"):
        return redirect(target)
    return "not a file"
