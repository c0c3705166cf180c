from flask import Flask, request
from werkzeug.utils import secure_filename

app = Flask(__name__)


@app.route("/upload", methods=["POST"])
def upload():
    data = request.files["file"].read()
    name = secure_filename(request.form["name"])
    with open("static/" + name, "wb") as out:
        out.write(data)
    return "ok"
