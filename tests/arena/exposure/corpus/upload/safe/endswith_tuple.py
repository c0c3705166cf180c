from flask import Flask, request
from werkzeug.utils import secure_filename
import os.path

app = Flask(__name__)


@app.route("/photo", methods=["POST"])
def photo():
    file = request.files["photo"]
    if file and file.filename.lower().endswith((".png", ".jpg")):
        file.save(os.path.join("photos", secure_filename(file.filename)))
        return "ok"
    return "no", 400
