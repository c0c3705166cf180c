import os
from flask import Flask, request, send_file
app = Flask(__name__)
KNOWN = ["a.png", "b.png"]
@app.route("/image")
def image():
    picture = request.args.get("picture", "")
    if picture in KNOWN:
        path = os.path.join("images", picture)
    else:
        path = "images/default.png"
    return send_file(path)
