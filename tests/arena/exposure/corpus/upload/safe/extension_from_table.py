import secrets
from flask import Flask, request

app = Flask(__name__)
EXTENSIONS = {"image/png": ".png", "image/jpeg": ".jpg"}


@app.post("/avatar")
def avatar():
    f = request.files["avatar"]
    extension = EXTENSIONS.get(f.mimetype)
    if extension is None:
        return "images only", 415
    path = "avatars/" + secrets.token_hex(16) + extension
    f.save(path)
    return path
