import os
from flask import Flask, request
from PIL import Image
from werkzeug.utils import secure_filename

app = Flask(__name__)


@app.post("/photo")
def photo():
    f = request.files["photo"]
    try:
        Image.open(f.stream).verify()
    except Exception:
        return "not an image", 400
    f.stream.seek(0)
    f.save(os.path.join("photos", secure_filename(f.filename)))
    return "ok"
