import os
from flask import Flask, request, abort, send_file

app = Flask(__name__)
ROOT = os.path.abspath("images")


@app.route("/img")
def img():
    full = os.path.normpath(os.path.join(ROOT, request.args.get("name", "")))
    if full.startswith(ROOT):
        return send_file(full)
    abort(404)
