import re
from flask import Flask, request, abort

app = Flask(__name__)
NAME = re.compile(r"[A-Za-z0-9_-]+\.(png|jpg)")


@app.route("/img")
def img():
    name = request.args.get("name") or ""
    if not NAME.fullmatch(name):
        abort(400)
    return open("images/" + name, "rb").read()
