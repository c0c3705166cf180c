from flask import Flask, request
import requests

app = Flask(__name__)


@app.route("/preview")
def preview():
    url = request.args.get("url")
    if not url:
        return "which page?", 400
    page = requests.get(url, timeout=5)
    return page.text[:500]
