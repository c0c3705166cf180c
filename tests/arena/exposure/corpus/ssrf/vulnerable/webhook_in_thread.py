import threading
from flask import Flask, request
import requests

app = Flask(__name__)


def notify(address, payload):
    try:
        requests.post(address, json=payload, timeout=10)
    except requests.RequestException as problem:
        app.logger.warning("webhook failed: %s", problem)


@app.post("/hooks")
def hooks():
    data = request.get_json(force=True)
    notify(data["callback"], {"event": "created"})
    return "", 204
