import re
from bottle import request, route, abort

NAME = re.compile(r"^[\w-]{1,40}\.(png|gif)$")


@route("/upload", method="POST")
def upload():
    sent = request.files.get("image")
    if not NAME.match(sent.filename):
        abort(400, "bad name")
    sent.save("images/" + sent.filename)
    return "ok"
