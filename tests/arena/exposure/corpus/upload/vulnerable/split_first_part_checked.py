import os
from flask import Flask, request, abort

app = Flask(__name__)


@app.post("/upload")
def upload():
    f = request.files["f"]
    if f.filename == "":
        abort(400)
    if request.form["kind"] not in ("photo", "scan"):
        abort(400)
    f.save(os.path.join("static", f.filename))
    return "ok"
