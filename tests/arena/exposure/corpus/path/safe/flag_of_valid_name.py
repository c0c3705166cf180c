import os
from flask import Flask, request, send_file
app = Flask(__name__)
@app.route("/image")
def image():
    picture = request.args.get("picture", "")
    valid = True
    if ".." in picture or picture.startswith("/"):
        valid = False
    if not valid:
        return "bad", 400
    return send_file(os.path.join("images", picture))
