import os

from flask import Flask, request, url_for
from werkzeug.utils import secure_filename

app = Flask(__name__)
FOLDER = os.path.join(app.root_path, "static", "uploads")


{task}
@app.route("/upload", methods=["POST"])
def upload():
    photo = request.files["photo"]
