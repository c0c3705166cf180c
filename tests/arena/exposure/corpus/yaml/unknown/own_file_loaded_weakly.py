import yaml
from flask import Flask, request

app = Flask(__name__)

with open("prices.yml") as f:
    PRICES = yaml.load(f, Loader=yaml.FullLoader)


def price_of(product):
    return PRICES[product]


@app.route("/total", methods=["POST"])
def total():
    order = yaml.safe_load(request.data)
    return str(price_of(order["product"]) * order["quantity"])
