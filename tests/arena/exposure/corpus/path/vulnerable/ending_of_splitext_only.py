import os
from flask import Flask, request, Response
app = Flask(__name__)
TYPES = {".png": "image/png", ".jpg": "image/jpeg"}
@app.route("/image")
def image():
    picture = request.args.get("picture", "")
    root, ext = os.path.splitext(picture)
    if ext not in TYPES:
        return "unsupported", 415
    with open(os.path.join("images", root + ext), "rb") as f:
        return Response(f.read(), mimetype=TYPES[ext])
