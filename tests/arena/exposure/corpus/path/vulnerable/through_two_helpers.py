from flask import Flask, request
import io
import os

app = Flask(__name__)


def path_of(name):
    return os.sep.join(["images", name])


def read(path):
    with io.open(path, "rb") as f:
        return f.read()


@app.route("/img")
def img():
    return read(path_of(request.values.get("img") or "default.png"))
