import os
from flask import Flask, request, abort

app = Flask(__name__)
BASE = os.path.realpath("images")


@app.route("/img")
def img():
    path = os.path.realpath(os.path.join(BASE, request.args.get("name")))
    if not path.startswith(BASE + os.sep):
        abort(403)
    with open(path, "rb") as f:
        return f.read()
