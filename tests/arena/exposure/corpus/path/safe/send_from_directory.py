from flask import Flask, request, send_from_directory

app = Flask(__name__)


@app.route("/img")
def img():
    return send_from_directory("images", request.args.get("file"))
