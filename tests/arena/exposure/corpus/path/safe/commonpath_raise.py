import os
from flask import Flask, request, send_file

app = Flask(__name__)
ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "images"))


class Refused(Exception):
    pass


def inside(name):
    path = os.path.abspath(os.path.join(ROOT, name))
    if os.path.commonpath([ROOT, path]) != ROOT:
        raise Refused(name)
    return path


@app.route("/img")
def img():
    try:
        return send_file(inside(request.args.get("name", "")))
    except Refused:
        return "no", 403
