from pathlib import Path
from flask import Flask, request, abort, send_file

app = Flask(__name__)
ROOT = Path("images").resolve()


@app.route("/img")
def img():
    path = (ROOT / request.args.get("name", "")).resolve()
    if ROOT not in path.parents:
        abort(404)
    return send_file(path)
