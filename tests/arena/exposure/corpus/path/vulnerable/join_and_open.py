import os

from flask import Flask, request

app = Flask(__name__)
IMAGES = os.path.join(app.root_path, "images")


@app.route("/img")
def img():
    wanted = request.args.get("img")
    full = os.path.join(IMAGES, wanted)
    with open(full, "rb") as handle:
        return handle.read(), 200, {"Content-Type": "image/png"}
