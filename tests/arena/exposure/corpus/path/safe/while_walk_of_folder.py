import os
from flask import Flask, request, send_file

app = Flask(__name__)


@app.route("/img")
def img():
    wanted = request.args.get("name")
    for entry in os.scandir("images"):
        if entry.name == wanted:
            return send_file(entry.path)
    return "nothing", 404
