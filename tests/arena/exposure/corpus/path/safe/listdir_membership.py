import os
from flask import Flask, request, abort, send_file

app = Flask(__name__)


@app.route("/img")
def img():
    wanted = request.args.get("name")
    if wanted not in os.listdir("images"):
        abort(404)
    return send_file("images/" + wanted)
