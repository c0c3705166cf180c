import os
from flask import Flask, request

app = Flask(__name__)


@app.route("/img", methods=["GET"])
def image():
    requested = request.args.get("file", type=str)
    location = os.path.normpath(os.path.join(os.getcwd(), "images", requested))
    try:
        data = open(location, "rb").read()
    except IOError as e:
        return str(e), 404
    return data
