import yaml
from flask import Flask, request

app = Flask(__name__)


@app.route("/temperature")
def temperature():
    payload = request.args.get("payload")
    if request.args.get("trusted") == "1":
        data = yaml.load(payload, Loader=yaml.Loader)
    else:
        data = yaml.safe_load(payload)
    return "%s/%s" % (data["latitude"], data["longitude"])
