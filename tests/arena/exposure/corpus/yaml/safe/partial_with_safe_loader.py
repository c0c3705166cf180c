from functools import partial

import yaml
from flask import Flask, request

app = Flask(__name__)
parse = partial(yaml.load, Loader=yaml.SafeLoader)


@app.route("/name", methods=["POST"])
def name():
    return parse(request.data)["name"]
