import yaml
from flask import Flask, request
app = Flask(__name__)
kwargs = {}
if hasattr(yaml, "FullLoader"):
    kwargs["Loader"] = yaml.FullLoader

@app.route("/name", methods=["POST"])
def name():
    return yaml.load(request.data, **kwargs)["name"]
