import os
from flask import Flask, request, send_file

app = Flask(__name__)
ROOT = os.path.realpath("images")


def allowed(path):
    real = os.path.realpath(path)
    return real == ROOT or real.startswith(ROOT + os.sep)


@app.route("/img")
def img():
    path = os.path.realpath(os.path.join(ROOT, request.args.get("name", "")))
    if not allowed(path):
        return "outside", 403
    return send_file(path)
