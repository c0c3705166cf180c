from urllib.parse import urlparse
import re
import flask

app = flask.Flask(__name__)


def is_allowed(u):
    parts = urlparse(u)
    return parts.scheme in ("http", "https") and re.match(
        r"^([a-z0-9-]+\.)*example\.com$", parts.netloc
    )


@app.route("/forward")
def forward():
    u = flask.request.args.get("u")
    if is_allowed(u):
        return flask.redirect(u)
    return flask.redirect("/")
