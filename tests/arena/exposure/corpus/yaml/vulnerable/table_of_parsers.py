import json
import yaml
from flask import Flask, request

app = Flask(__name__)
PARSERS = {"application/json": json.loads, "application/x-yaml": yaml.load}


@app.route("/name", methods=["POST"])
def name():
    parser = PARSERS.get(request.content_type, yaml.load)
    return parser(request.data)["name"]
