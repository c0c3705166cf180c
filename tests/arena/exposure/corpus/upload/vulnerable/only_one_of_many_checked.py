import os
from flask import Flask, request
from werkzeug.utils import secure_filename

app = Flask(__name__)


def store(file):
    path = os.path.join("uploads", secure_filename(file.filename))
    file.save(path)
    return path


@app.route("/upload", methods=["POST"])
def upload():
    stored = []
    photo = request.files["photo"]
    if photo.filename.lower().endswith((".png", ".jpg")):
        stored.append(store(photo))
    for extra in request.files.getlist("extras"):
        stored.append(store(extra))
    return "\n".join(stored)
