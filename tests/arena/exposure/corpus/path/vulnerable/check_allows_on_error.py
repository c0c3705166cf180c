import os
from flask import Flask, request, send_file

app = Flask(__name__)
ROOT = os.path.realpath("images")


@app.route("/img")
def img():
    path = os.path.realpath(os.path.join(ROOT, request.args.get("name", "")))
    try:
        inside = os.path.commonpath([ROOT, path]) == ROOT
        if not inside:
            app.logger.warning("outside: %s", path)
    except ValueError:
        pass
    return send_file(path)
