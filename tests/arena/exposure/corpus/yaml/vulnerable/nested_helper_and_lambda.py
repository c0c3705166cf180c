import yaml
from flask import Flask, request

app = Flask(__name__)
read = lambda text: yaml.load(text)


def wrapped(parse, text):
    try:
        return parse(text)
    except yaml.YAMLError:
        return None


@app.route("/total")
def total():
    data = wrapped(read, request.args.get("payload"))
    if data is None:
        return "bad", 400
    return str(data["price"] * data["quantity"])
