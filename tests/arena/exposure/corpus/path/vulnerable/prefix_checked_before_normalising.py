import os
from flask import Flask, request

app = Flask(__name__)
BASE = "/srv/images"


@app.route("/img")
def serve_image():
    target = os.path.join(BASE, request.args.get("file"))
    if not target.startswith(BASE):
        return "denied", 403
    with open(target, "rb") as f:
        return f.read()
