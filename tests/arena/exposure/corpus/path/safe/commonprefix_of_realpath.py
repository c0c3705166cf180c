import os
from flask import Flask, request, send_file, abort

app = Flask(__name__)
IMG_DIR = os.path.realpath("./images")


@app.route("/img")
def img():
    filename = request.args.get("file", "")
    requested_path = os.path.join(IMG_DIR, filename)
    if os.path.commonprefix((os.path.realpath(requested_path), IMG_DIR)) != IMG_DIR:
        abort(403)
    return send_file(requested_path)
