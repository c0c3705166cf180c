import yaml
from flask import Flask, request

app = Flask(__name__)
LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


@app.route("/name")
def name():
    data = yaml.load(request.args["doc"], Loader=LOADER)
    return data["name"]
