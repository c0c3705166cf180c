from ruamel.yaml import YAML
from flask import Flask, request

app = Flask(__name__)
parser = YAML(typ="safe")


@app.post("/price")
def price():
    order = parser.load(request.get_data(as_text=True))
    return str(order["quantity"] * 3)
