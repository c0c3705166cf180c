import yaml
from flask import Flask, request

app = Flask(__name__)


@app.route("/api/total")
def total():
    loader = yaml.SafeLoader
    if "full" in request.args:
        loader = yaml.FullLoader
    data = yaml.load(request.args.get("payload", ""), Loader=loader)
    return str(data.get("quantity", 0) * 2)
