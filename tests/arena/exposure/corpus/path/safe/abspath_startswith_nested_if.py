import os
from flask import Flask, request, send_file

app = Flask(__name__)


@app.route("/img")
def img():
    base_path = os.path.abspath("images")
    filename = request.args.get("filename")
    if filename:
        fullpath = os.path.abspath(os.path.join(base_path, filename))
        if fullpath.startswith(base_path):
            if os.path.exists(fullpath):
                return send_file(fullpath)
            else:
                return "File not found", 404
    return "Bad request", 400
