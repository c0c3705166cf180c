import os
from functools import wraps
from flask import Flask, request, send_from_directory, abort, current_app
app = Flask(__name__)

def valid_picture(f):
    @wraps(f)
    def inner(*a, **kw):
        name = request.args.get("picture", "")
        if not name.lower().endswith((".png", ".jpg")):
            abort(400)
        return f(name, *a, **kw)
    return inner

@app.route("/image")
@valid_picture
def image(name):
    return send_from_directory(current_app.config.get("IMAGES", "images"), name, as_attachment=False)
