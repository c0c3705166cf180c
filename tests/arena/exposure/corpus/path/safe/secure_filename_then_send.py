import os
from flask import Flask, request, send_file, abort
from werkzeug.utils import secure_filename

app = Flask(__name__)


@app.route("/img")
def img():
    name = secure_filename(request.args.get("name", ""))
    path = os.path.join("images", name)
    if not os.path.isfile(path):
        abort(404)
    return send_file(path)
