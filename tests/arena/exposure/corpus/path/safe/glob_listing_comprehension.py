import glob
import os
from flask import Flask, request, abort, send_file

app = Flask(__name__)


@app.route("/img")
def img():
    wanted = request.args.get("name")
    known = {os.path.basename(p): p for p in glob.glob("images/*.png")}
    if wanted not in known:
        abort(404)
    return send_file(known[wanted])
