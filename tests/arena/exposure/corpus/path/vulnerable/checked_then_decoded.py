from urllib.parse import unquote
from flask import Flask, request, abort

app = Flask(__name__)


@app.route("/img")
def img():
    name = request.args.get("name", "")
    if "/" in name or ".." in name:
        abort(400)
    return open("images/" + unquote(name), "rb").read()
