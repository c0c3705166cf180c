from flask import Flask, request, redirect
import requests

app = Flask(__name__)


@app.route("/preview")
def preview():
    url = request.args.get("url")
    if not url:
        return "which page?", 400
    # TODO: requests.get(url)
    return "would show " + url
