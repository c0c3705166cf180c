from urllib.parse import urlparse
import flask

app = flask.Flask(__name__)


@app.before_request
def log():
    print("request for", flask.request.path)


@app.route("/b")
def b():
    to = flask.request.args.get("to", "/")
    host = urlparse(to).netloc
    if host and host != flask.request.host:
        flask.abort(400)
    return flask.redirect(to)
