from pathlib import Path
from flask import Flask, request, send_file

app = Flask(__name__)
HERE = Path(__file__).resolve().parent


@app.route("/img")
def img():
    name = request.args.get("name")
    if not name or name.startswith("."):
        return "bad", 400
    return send_file(str(HERE / "images" / name))
