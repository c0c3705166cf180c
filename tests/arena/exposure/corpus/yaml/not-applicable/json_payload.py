from flask import Flask, request
import json
import yaml

app = Flask(__name__)


@app.route("/api/total")
def total():
    payload = request.args.get("payload", None)
    if payload is None:
        return "no payload", 400
    data = json.loads(payload)
    return str(data["price"] * data["quantity"])
