import requests
from flask import Flask

app = Flask(__name__)


@app.route("/status")
def status():
    return requests.get("https://backend.example.com/status", timeout=5).text
