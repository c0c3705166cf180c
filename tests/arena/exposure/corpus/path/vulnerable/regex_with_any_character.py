import re
from flask import Flask, request, abort, send_file

app = Flask(__name__)


@app.route("/img")
def img():
    name = request.args.get("name", "")
    if re.match(r"^.*\.(png|jpg)$", name) is None:
        abort(400)
    return send_file("images/" + name)
