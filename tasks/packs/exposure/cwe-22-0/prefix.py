import os

from flask import Flask, request, send_file, send_from_directory

app = Flask(__name__)


{task}
@app.route("/image")
def image():
    picture = request.args.get("picture", "")
