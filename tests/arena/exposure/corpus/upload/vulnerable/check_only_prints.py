import os
from flask import Flask, request, flash

app = Flask(__name__)
KNOWN = [".png", ".gif"]


@app.route("/upload", methods=["POST"])
def upload():
    file = request.files["file"]
    base, ext = os.path.splitext(file.filename)
    if ext not in KNOWN:
        flash("this is not an image")
    file.save("static/" + file.filename)
    return "done"
