import os
from flask import Flask, request, send_file
from werkzeug.utils import secure_filename
app = Flask(__name__)

@app.route("/image")
def image():
    picture = request.args.get("picture")
    path = os.path.join("images", picture)
    if not os.path.exists(path):
        path = os.path.join("images", secure_filename(picture))
    return send_file(path)
