import yaml
from flask import Flask, request

app = Flask(__name__)


class Parser:
    LOADER = yaml.FullLoader

    def __init__(self, text):
        self.text = text

    def parse(self):
        return yaml.load(self.text, Loader=self.LOADER)


@app.route("/total", methods=["POST"])
def total():
    order = Parser(request.data).parse()
    return str(price_of(order["product"]) * order["quantity"])
