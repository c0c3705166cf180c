import yaml
from flask import Flask, request

app = Flask(__name__)
OPTIONS = {"Loader": yaml.CSafeLoader}


@app.route("/api/temperature")
def temperature():
    doc = yaml.load(request.args.get("payload"), **OPTIONS)
    return str(doc.get("lat"))
