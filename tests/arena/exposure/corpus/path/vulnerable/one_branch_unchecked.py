import os
from flask import Flask, request, send_file
from werkzeug.utils import secure_filename

app = Flask(__name__)


@app.route("/img")
def img():
    name = request.args.get("name")
    if request.args.get("raw"):
        path = os.path.join("images", name)
    else:
        path = os.path.join("images", secure_filename(name))
    return send_file(path)
