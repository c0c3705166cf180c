import re
from flask import Flask, request, abort

app = Flask(__name__)


@app.route("/img")
def img():
    name = request.args.get("name", "")
    if not re.match(r"[a-z]+", name):
        abort(400)
    return open("images/" + name, "rb").read()
