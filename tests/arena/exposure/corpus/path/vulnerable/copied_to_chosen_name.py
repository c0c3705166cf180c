import shutil
from flask import Flask, request

app = Flask(__name__)


@app.route("/copy", methods=["POST"])
def copy():
    shutil.copyfile("images/template.png", "images/" + request.form["target"])
    return "copied"
