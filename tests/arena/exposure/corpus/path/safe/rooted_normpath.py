import os
from flask import Flask, request, send_file

app = Flask(__name__)


@app.route("/img")
def img():
    name = os.path.normpath("/" + request.args.get("name", "")).lstrip("/")
    return send_file(os.path.join("images", name))
