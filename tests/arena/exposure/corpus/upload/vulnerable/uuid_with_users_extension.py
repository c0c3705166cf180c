import os
import uuid
from flask import Flask, request

app = Flask(__name__)


@app.post("/upload")
def upload():
    sent = request.files["file"]
    extension = os.path.splitext(sent.filename)[1]
    name = uuid.uuid4().hex + extension
    sent.save(os.path.join("static", name))
    return name
