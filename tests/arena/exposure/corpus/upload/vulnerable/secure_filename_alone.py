import os
from flask import Flask, request, redirect
from werkzeug.utils import secure_filename

app = Flask(__name__)
app.config["UPLOAD_FOLDER"] = "static/uploads"


@app.route("/upload", methods=["GET", "POST"])
def upload():
    if request.method == "POST":
        f = request.files.get("file")
        if f is None or f.filename == "":
            return redirect(request.url)
        name = secure_filename(f.filename)
        f.save(os.path.join(app.config["UPLOAD_FOLDER"], name))
        return "saved " + name
    return "<form method=post enctype=multipart/form-data><input type=file name=file></form>"
