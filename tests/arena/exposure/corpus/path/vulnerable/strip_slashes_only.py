from flask import Flask, request, send_file
import os

app = Flask(__name__)


@app.route("/img")
def img():
    name = request.args.get("name", "").strip("/").strip()
    return send_file(os.path.join("images", name))
