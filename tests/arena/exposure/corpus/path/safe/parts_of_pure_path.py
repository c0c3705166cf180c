from pathlib import PurePosixPath, Path
from flask import Flask, request, send_file, abort
app = Flask(__name__)
@app.route("/image")
def image():
    p = PurePosixPath(request.args.get("picture", ""))
    if p.is_absolute() or ".." in p.parts:
        abort(400)
    return send_file(Path("images") / p)
