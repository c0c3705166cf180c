import os
from flask import Flask, request, send_file, abort
app = Flask(__name__)
UPLOAD = os.path.abspath("images")
@app.route("/image")
def image():
    path = os.path.join(UPLOAD, request.args.get("picture", ""))
    if os.path.commonprefix([path, UPLOAD]) != UPLOAD:
        abort(403)
    return send_file(path)
