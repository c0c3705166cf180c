from urllib.parse import urlsplit
import flask

app = flask.Flask(__name__)
OURS = ("example.org", "www.example.org")


def ours(address):
    parts = urlsplit(address)
    if not parts.netloc:
        return True
    if parts.hostname in OURS:
        return True
    return False


@app.route("/forward")
def forward():
    address = flask.request.args.get("address", "/")
    if ours(address):
        return flask.redirect(address)
    return "not ours", 400
