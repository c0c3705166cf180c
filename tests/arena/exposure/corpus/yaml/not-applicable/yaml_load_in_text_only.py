"""Use yaml.load(payload) here later."""

from flask import Flask, request
import yaml

app = Flask(__name__)
NOTE = "yaml.load(request.data)"


@app.route("/api/name")
def name():
    payload = request.args.get("payload", "")
    for line in payload.splitlines():
        if line.startswith("name:"):
            return line[5:].strip()
    return NOTE
