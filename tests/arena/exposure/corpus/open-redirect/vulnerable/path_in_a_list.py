from urllib.parse import urlparse
from flask import Flask, redirect, request

app = Flask(__name__)


@app.route("/list")
def in_list():
    url = request.args.get("url", "/")
    if urlparse(url).path in ("/home", "/help"):
        return redirect(url)
    return redirect("/")
