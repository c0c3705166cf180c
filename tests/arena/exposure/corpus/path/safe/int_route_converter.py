from flask import Flask, send_file
import os

app = Flask(__name__)


@app.route("/img/<int:image_id>")
def img(image_id):
    image_id = int(image_id)
    return send_file(os.path.join("images", str(image_id) + ".png"))
