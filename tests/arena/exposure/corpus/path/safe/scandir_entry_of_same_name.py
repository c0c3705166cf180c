import os
from flask import Flask, request, send_file, abort
app = Flask(__name__)

@app.route("/image")
def image():
    wanted = request.args.get("picture")
    for entry in os.scandir("images"):
        if entry.is_file() and entry.name == wanted:
            return send_file(entry.path)
    abort(404)
