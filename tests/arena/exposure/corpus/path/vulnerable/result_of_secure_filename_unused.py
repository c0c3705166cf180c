import os
from flask import Flask, request, send_file
from werkzeug.utils import secure_filename

app = Flask(__name__)


@app.route("/img")
def img():
    filename = request.args.get("filename")
    secure_filename(filename)
    return send_file(os.path.join("images", filename))
