import imghdr
import os
from flask import Flask, request
from werkzeug.utils import secure_filename

app = Flask(__name__)


@app.route("/upload", methods=["POST"])
def upload():
    sent = request.files["image"]
    if imghdr.what(sent.stream) not in ("png", "gif"):
        return "not an image", 400
    sent.save(os.path.join("images", secure_filename(sent.filename)))
    return "ok"
