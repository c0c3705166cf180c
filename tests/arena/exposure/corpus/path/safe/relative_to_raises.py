from pathlib import Path
from flask import Flask, request, abort

app = Flask(__name__)
ROOT = Path("images").resolve()


@app.route("/img")
def img():
    path = ROOT.joinpath(request.args["name"]).resolve()
    try:
        path.relative_to(ROOT)
    except ValueError:
        abort(404)
    return path.read_bytes()
