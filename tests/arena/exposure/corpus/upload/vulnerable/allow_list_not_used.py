import os
from flask import Flask, request
from werkzeug.utils import secure_filename

app = Flask(__name__)
ALLOWED_EXTENSIONS = {"png", "jpg", "jpeg"}


def allowed_file(filename):
    return "." in filename and filename.rsplit(".", 1)[1].lower() in ALLOWED_EXTENSIONS


@app.route("/upload", methods=["POST"])
def upload():
    file = request.files["file"]
    # TODO call allowed_file
    file.save(os.path.join("uploads", secure_filename(file.filename)))
    return "ok"
