from functools import wraps
from flask import Flask, request, send_file
from werkzeug.utils import secure_filename as clean

app = Flask(__name__)


def needs_name(view):
    @wraps(view)
    def inner(*args, **kwargs):
        if "name" not in request.args:
            return "which?", 400
        return view(*args, **kwargs)

    return inner


@app.route("/img")
@needs_name
def img():
    return send_file("images/" + clean(request.args["name"]))
