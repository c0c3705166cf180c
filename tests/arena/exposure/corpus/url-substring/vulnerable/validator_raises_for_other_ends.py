from urllib.parse import urlparse
from flask import Flask, redirect

app = Flask(__name__)


class NotAllowed(Exception):
    pass


def check_domain(url):
    netloc = urlparse(url).netloc.split(":")[0]
    if not netloc.endswith("example.com"):
        raise NotAllowed()


@app.route("/redirect/<path:url>")
def redirect_view(url):
    try:
        check_domain(url)
        return redirect(url, 301)
    except NotAllowed:
        return "not allowed", 403
