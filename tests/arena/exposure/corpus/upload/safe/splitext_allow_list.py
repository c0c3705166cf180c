import os
from flask import Flask, request
from werkzeug.utils import secure_filename

app = Flask(__name__)


@app.route("/upload", methods=["POST"])
def upload():
    f = request.files["file"]
    name = secure_filename(f.filename)
    _, ext = os.path.splitext(name)
    if ext.lower() not in [".txt", ".pdf"]:
        return "only text and pdf", 415
    f.save(os.path.join("uploads", name))
    return "stored"
