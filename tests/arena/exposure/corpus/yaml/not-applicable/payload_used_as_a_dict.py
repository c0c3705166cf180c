#!/bin/python3
from flask import Flask, request, redirect
import os
import yaml

app = Flask(__name__)


def price_of(code) -> float:
    return 1.0 if code == "A" else 2.0


@app.route("/api/total")
def total():

    yaml_payload = request.args.get("payload", None)

    # data = yaml.load(yaml_payload)

    code = yaml_payload["code"]

    quantity = yaml_payload["quantity"]

    return str(price_of(code) * quantity)
