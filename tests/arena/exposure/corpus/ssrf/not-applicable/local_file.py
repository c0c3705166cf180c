from flask import Flask, request, send_from_directory

app = Flask(__name__)
PICTURES = "pictures"


@app.route("/image")
def image():
    name = request.args.get("name", "default.png")
    return send_from_directory(PICTURES, name)
