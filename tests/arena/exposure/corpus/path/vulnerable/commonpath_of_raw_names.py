import os
from flask import Flask, request, abort, send_file

app = Flask(__name__)
ROOT = "/srv/images"


@app.route("/img")
def img():
    path = os.path.join(ROOT, request.args.get("name", ""))
    if os.path.commonpath([ROOT, path]) != ROOT:
        abort(403)
    return send_file(path)
