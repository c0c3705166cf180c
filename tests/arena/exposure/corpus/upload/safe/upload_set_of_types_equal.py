import os
from flask import Flask, request
from werkzeug.utils import secure_filename

app = Flask(__name__)


@app.route("/report", methods=["POST"])
def report():
    f = request.files["report"]
    name = secure_filename(f.filename)
    if os.path.splitext(name)[1] != ".pdf":
        return "pdf, please", 400
    f.save("reports/" + name)
    return "ok"
