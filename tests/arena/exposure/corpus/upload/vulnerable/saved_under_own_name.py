import os
from flask import Flask, request

app = Flask(__name__)


@app.route("/upload", methods=["POST"])
def upload():
    picture = request.files["picture"]
    picture.save(os.path.join("static/uploads", picture.filename))
    return "ok"
