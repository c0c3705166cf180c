import os
from flask import Flask, request, send_file, abort
app = Flask(__name__)
@app.route("/image")
def image():
    picture = request.args["picture"]
    if ".." in picture and picture.startswith("/"):
        abort(400)
    return send_file(os.path.join("images", picture))
