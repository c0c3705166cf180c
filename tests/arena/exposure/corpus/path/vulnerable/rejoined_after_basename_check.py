import os
from flask import Flask, request, send_file

app = Flask(__name__)


@app.route("/img")
def img():
    name = request.args.get("name")
    folder = request.args.get("folder", "images")
    return send_file(os.path.join(folder, os.path.basename(name)))
