from flask import Flask, request, send_file, abort
from werkzeug.security import safe_join

app = Flask(__name__)


@app.route("/img")
def img():
    path = safe_join("images", request.args.get("name"))
    if path is None:
        abort(404)
    return send_file(path)
