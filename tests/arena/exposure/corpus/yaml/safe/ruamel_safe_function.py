from ruamel import yaml
from flask import Flask, request

app = Flask(__name__)


@app.route("/n")
def n():
    data = yaml.safe_load(request.args["payload"])
    return data.get("name", "") or "nobody"
