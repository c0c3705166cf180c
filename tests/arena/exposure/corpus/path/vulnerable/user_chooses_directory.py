from flask import Flask, request, send_from_directory

app = Flask(__name__)


@app.route("/img")
def img():
    folder = request.args.get("folder", "images")
    name = request.args.get("name")
    return send_from_directory(folder, name)
