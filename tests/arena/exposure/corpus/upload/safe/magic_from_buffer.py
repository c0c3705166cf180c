import os
import magic
from flask import Flask, abort, request
from werkzeug.utils import secure_filename

app = Flask(__name__)
TYPES = ("image/png", "image/jpeg")


@app.route("/upload", methods=["POST"])
def upload():
    file = request.files["file"]
    kind = magic.from_buffer(file.read(2048), mime=True)
    file.seek(0)
    if kind not in TYPES:
        abort(415)
    file.save(os.path.join("uploads", secure_filename(file.filename)))
    return "ok"
