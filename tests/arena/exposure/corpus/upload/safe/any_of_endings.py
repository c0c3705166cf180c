import os
from flask import Flask, request
from werkzeug.utils import secure_filename

app = Flask(__name__)
ENDINGS = [".png", ".jpg"]


@app.post("/photo")
def photo():
    f = request.files["photo"]
    name = secure_filename(f.filename).lower()
    if not any(name.endswith(e) for e in ENDINGS):
        return "photos only", 415
    f.save(os.path.join("photos", name))
    return "ok"
