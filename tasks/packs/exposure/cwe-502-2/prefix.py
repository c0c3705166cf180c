import yaml
from flask import Flask, request

app = Flask(__name__)


PRICES = {"A": 1.5, "B": 2.0, "C": 7.25}


def price_of(product):
    return PRICES.get(product, 0.0)


{task}
@app.route("/total", methods=["POST"])
def total():
    body = request.get_data(as_text=True)
