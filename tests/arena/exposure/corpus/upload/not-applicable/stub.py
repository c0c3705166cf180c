from flask import Flask, request

app = Flask(__name__)


@app.post("/upload")
def upload():
    file = request.files["file"]
    # save the file here
    return "ok: " + file.filename
