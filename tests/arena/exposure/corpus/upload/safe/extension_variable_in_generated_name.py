import os
import uuid
from flask import Flask, request, abort

app = Flask(__name__)


@app.post("/upload")
def upload():
    sent = request.files["file"]
    ext = sent.filename.rsplit(".", 1)[-1].lower()
    if ext not in {"png", "webp"}:
        abort(400)
    sent.save(os.path.join("static", uuid.uuid4().hex + "." + ext))
    return "ok"
