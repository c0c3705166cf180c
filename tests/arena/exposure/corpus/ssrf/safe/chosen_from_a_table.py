from flask import Flask, request
import requests

app = Flask(__name__)
SOURCES = {
    "news": "https://news.example.org/feed",
    "blog": "https://blog.example.org/feed",
}


@app.route("/feed")
def feed():
    name = request.args.get("name")
    if name not in SOURCES:
        return "no such feed", 404
    return requests.get(SOURCES[name]).text
