import os
from flask import Flask, request
from werkzeug.utils import secure_filename

app = Flask(__name__)
OK = (".jpg", ".png")


@app.route("/upload", methods=["POST"])
def upload():
    count = 0
    for f in request.files.getlist("photos"):
        if not f.filename.lower().endswith(OK):
            continue
        f.save(os.path.join("photos", secure_filename(f.filename)))
        count += 1
    return str(count)
