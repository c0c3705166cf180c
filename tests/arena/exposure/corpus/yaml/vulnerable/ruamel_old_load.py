import ruamel.yaml
from bottle import post, request

PRICES = {"a": 1.0, "b": 2.5}


@post("/price")
def price():
    order = ruamel.yaml.load(request.forms.get("order"))
    return str(PRICES[order["code"]] * order["quantity"])
