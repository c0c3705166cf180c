import os
from flask import Flask, request

app = Flask(__name__)


@app.route("/upload", methods=["POST"])
def upload():
    file = request.files["file"]
    if ".png" in file.filename:
        file.save(os.path.join("uploads", os.path.basename(file.filename)))
        return "ok"
    return "png only", 400
