import os
from flask import Flask, request

app = Flask(__name__)


@app.route("/img")
def img():
    name = request.args.get("name", "")
    if os.path.isabs(name) or ".." in name:
        return "bad name", 400
    path = os.path.join("images", name)
    return open(path, "rb").read()
