import yaml
from flask import Flask, request

app = Flask(__name__)


class StrictLoader(yaml.Loader):
    """Refuses nothing, whatever it is called."""


@app.route("/name")
def name():
    document = yaml.load(request.args["doc"], Loader=StrictLoader)
    return document["name"]
