import os
import flask

app = flask.Flask(__name__)
BASE = "/srv/images"


def is_safe(path):
    return os.path.realpath(path).startswith(BASE)


@app.route("/img")
def img():
    path = os.path.join(BASE, flask.request.args.get("name"))
    if not is_safe(path):
        flask.abort(403)
    return flask.send_file(path)
