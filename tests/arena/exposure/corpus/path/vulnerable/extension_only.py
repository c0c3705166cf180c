import os
from flask import Flask, request, send_file, abort

app = Flask(__name__)
ALLOWED_EXTENSIONS = {"png", "jpg", "gif"}


def allowed_file(filename):
    return "." in filename and filename.rsplit(".", 1)[1].lower() in ALLOWED_EXTENSIONS


@app.route("/img")
def img():
    filename = request.args.get("filename")
    if not allowed_file(filename):
        abort(400)
    return send_file(os.path.join("images", filename))
