import yaml
from flask import Flask, request

app = Flask(__name__)


@app.route("/name", methods=["POST"])
def name():
    request.files["document"].save("document.yml")
    with open("document.yml") as handle:
        return str(yaml.load(handle, Loader=yaml.Loader)["name"])
