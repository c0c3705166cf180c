import os
from flask import Flask, request, abort, send_file

app = Flask(__name__)


@app.route("/img")
def img():
    path = os.path.join("images", request.args.get("name", ""))
    if os.path.relpath(path, "images").startswith(".."):
        abort(403)
    return send_file(path)
