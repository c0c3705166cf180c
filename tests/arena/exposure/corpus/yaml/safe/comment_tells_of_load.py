import yaml
from flask import Flask, request

app = Flask(__name__)


# yaml.load(payload) would build any object: do not
@app.route("/calculate")
def calculate():
    payload = request.args.get("payload", None)
    # data = yaml.load(payload, Loader=yaml.Loader)
    data = yaml.safe_load(payload)
    try:
        return str(float(data["price"]) * int(data["count"]))
    except (KeyError, TypeError, ValueError) as problem:
        return "yaml.load: %s" % problem
