import os
from flask import Flask, request

app = Flask(__name__)


@app.route("/img")
def img():
    name = os.path.basename(request.args.get("name"))
    with open(os.path.join("images", name), "rb") as f:
        return f.read()
