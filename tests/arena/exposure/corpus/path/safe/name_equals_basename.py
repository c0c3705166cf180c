import os
from flask import Flask, request, abort, send_file

app = Flask(__name__)


@app.route("/img")
def img():
    name = request.args.get("name", "")
    if os.path.basename(name) != name:
        abort(400)
    return send_file(os.path.join("images", name))
