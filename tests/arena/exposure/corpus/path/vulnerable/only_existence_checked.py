from flask import Flask, abort, request, send_file
import os

app = Flask(__name__)


@app.route("/img")
def show():
    filename = request.args.get("filename", "")
    path = os.path.join("images", filename)
    # path traversal is not possible because we check that the file exists
    if not os.path.exists(path):
        abort(404)
    return send_file(path)
