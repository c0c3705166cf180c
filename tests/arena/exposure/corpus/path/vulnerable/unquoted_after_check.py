from urllib.parse import unquote
from flask import Flask, request, send_file, abort
app = Flask(__name__)
@app.route("/image")
def image():
    picture = request.args.get("picture", "")
    if "/" in picture or ".." in picture:
        abort(400)
    return send_file("images/" + unquote(picture))
