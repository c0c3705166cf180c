from urllib.parse import urlsplit
import re
import flask

app = flask.Flask(__name__)


@app.route("/forward", methods=["GET", "POST"])
def forward():
    dest = flask.request.values.get("dest")
    name = urlsplit(dest).hostname or ""
    if re.search("example\\.com$", name):
        return flask.redirect(dest)
    flask.abort(404)
