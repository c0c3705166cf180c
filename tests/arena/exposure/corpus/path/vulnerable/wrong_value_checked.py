import os
from flask import Flask, request, abort

app = Flask(__name__)
ROOT = os.path.realpath("images")


@app.route("/img")
def img():
    name = request.args.get("name")
    kind = request.args.get("kind")
    if kind not in ("png", "gif"):
        abort(400)
    return open(os.path.join(ROOT, name + "." + kind), "rb").read()
