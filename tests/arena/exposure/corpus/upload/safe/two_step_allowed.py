import os
from flask import Flask, request, redirect, flash
from werkzeug.utils import secure_filename

UPLOAD_FOLDER = "/srv/uploads"
ALLOWED_EXTENSIONS = set(["txt", "pdf"])
app = Flask(__name__)
app.config["UPLOAD_FOLDER"] = UPLOAD_FOLDER


def allowed(filename):
    if "." not in filename:
        return False
    return filename.rsplit(".", 1)[1] in ALLOWED_EXTENSIONS


@app.route("/", methods=["GET", "POST"])
def index():
    if request.method == "POST":
        if "file" not in request.files:
            flash("No file part")
            return redirect(request.url)
        file = request.files["file"]
        if file and allowed(file.filename):
            filename = secure_filename(file.filename)
            file.save(os.path.join(app.config["UPLOAD_FOLDER"], filename))
            return redirect("/")
    return "<form method=post enctype=multipart/form-data><input type=file name=file></form>"
