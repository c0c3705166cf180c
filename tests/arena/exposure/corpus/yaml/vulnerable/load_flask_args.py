from flask import Flask, request, redirect
import os
import yaml

app = Flask(__name__)


@app.route("/greeting")
def greeting():

    text = request.args.get("doc", None)

    if text is None:
        return redirect("/")

    doc = yaml.load(text)

    return "Good morning, " + doc["name"]
