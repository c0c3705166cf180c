from flask import Flask, request
import requests

app = Flask(__name__)
BEGINNINGS = ["https://a.example.org/", "https://b.example.org/"]


@app.route("/get")
def get():
    url = request.args.get("url", "")
    if not any(url.startswith(beginning) for beginning in BEGINNINGS):
        return "no", 403
    return requests.get(url).text
