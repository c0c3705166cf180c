import os
from flask import Flask, abort, request

app = Flask(__name__)


@app.route("/img")
def img():
    name = request.args.get("name")
    if ".." in name:
        abort(400)
    return open(os.path.join("images", name), "rb").read()
