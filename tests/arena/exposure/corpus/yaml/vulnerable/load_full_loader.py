import yaml
from flask import Flask, request, jsonify

app = Flask(__name__)


def total(document):
    order = yaml.load(document, Loader=yaml.FullLoader)
    return order["price"] * order["amount"]


@app.route("/total", methods=["POST"])
def total_view():
    return jsonify(total=total(request.data))
