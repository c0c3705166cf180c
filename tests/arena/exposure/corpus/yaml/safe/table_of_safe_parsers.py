import json
import yaml
from flask import Flask, request, abort

app = Flask(__name__)
PARSERS = {"application/json": json.loads, "application/yaml": yaml.safe_load}


@app.route("/name", methods=["POST"])
def name():
    parser = PARSERS.get(request.content_type)
    if parser is None:
        abort(415)
    return parser(request.data)["name"]
