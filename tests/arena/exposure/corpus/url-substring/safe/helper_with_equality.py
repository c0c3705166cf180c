from urllib.parse import urlparse
import flask

app = flask.Flask(__name__)
DOMAIN = "example.com"


class Links:
    @staticmethod
    def inside(url):
        # not: return DOMAIN in url
        parsed = urlparse(url)
        return parsed.scheme == "https" and parsed.netloc == DOMAIN


@app.route("/links")
def links():
    url = flask.request.args.get("url")
    return flask.redirect(url) if Links.inside(url) else flask.redirect("/")
