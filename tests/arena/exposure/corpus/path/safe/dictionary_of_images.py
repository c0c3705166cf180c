from flask import Flask, request, send_file

app = Flask(__name__)
IMAGES = {"logo": "images/logo.png", "cat": "images/cat.jpg"}


@app.route("/img")
def img():
    path = IMAGES.get(request.args.get("name"), "images/none.png")
    return send_file(path)
