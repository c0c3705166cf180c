from flask import Flask, request
import os

app = Flask(__name__)


@app.route("/avatar", methods=["POST"])
def avatar():
    file = request.files["avatar"]
    if file.content_type not in ("image/png", "image/jpeg"):
        return "images only", 400
    file.save(os.path.join("static", "avatars", file.filename))
    return "thanks"
