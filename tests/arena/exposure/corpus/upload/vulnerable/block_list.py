import os
from flask import Flask, request, abort
from werkzeug.utils import secure_filename

app = Flask(__name__)
FORBIDDEN = {".php", ".exe", ".sh"}


@app.route("/upload", methods=["POST"])
def upload():
    f = request.files["file"]
    ext = os.path.splitext(f.filename)[1].lower()
    if ext in FORBIDDEN:
        abort(400)
    f.save("uploads/" + secure_filename(f.filename))
    return "", 204
