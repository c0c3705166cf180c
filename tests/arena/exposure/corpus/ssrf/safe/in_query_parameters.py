from flask import Flask, request
import requests

app = Flask(__name__)


@app.route("/search")
def search():
    q = request.args.get("q")
    found = requests.get(
        "https://search.example.org/find",
        params={"q": q, "n": 10},
        headers={"Accept": "application/json"},
    )
    return found.text
