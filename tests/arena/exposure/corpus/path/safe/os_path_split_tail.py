import os
from flask import Flask, request, send_file

app = Flask(__name__)


@app.route("/img")
def img():
    tail = os.path.split(request.args.get("name", ""))[1]
    return send_file(os.path.join("images", tail))
