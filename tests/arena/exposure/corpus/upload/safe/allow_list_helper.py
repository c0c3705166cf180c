import os
from flask import Flask, request, abort
from werkzeug.utils import secure_filename

app = Flask(__name__)
ALLOWED_EXTENSIONS = {"png", "jpg", "jpeg", "gif"}


def allowed_file(filename):
    return "." in filename and filename.rsplit(".", 1)[1].lower() in ALLOWED_EXTENSIONS


@app.route("/upload", methods=["POST"])
def upload():
    file = request.files["file"]
    if not file or not allowed_file(file.filename):
        abort(400)
    file.save(os.path.join("uploads", secure_filename(file.filename)))
    return "ok"
