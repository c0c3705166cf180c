import io
import os
from flask import Flask, request
from PIL import Image

app = Flask(__name__)


@app.post("/avatar/<int:user>")
def avatar(user):
    picture = Image.open(io.BytesIO(request.files["avatar"].read()))
    picture.thumbnail((256, 256))
    picture.save(os.path.join("avatars", "%d.png" % int(user)), "PNG")
    return "ok"
