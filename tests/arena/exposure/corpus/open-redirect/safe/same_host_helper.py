from urllib.parse import urljoin, urlparse
from flask import Flask, abort, redirect, request

app = Flask(__name__)


def is_safe_url(target):
    ref_url = urlparse(request.host_url)
    test_url = urlparse(urljoin(request.host_url, target))
    return test_url.scheme in ("http", "https") and ref_url.netloc == test_url.netloc


@app.route("/next")
def forward():
    target = request.args.get("next")
    if not is_safe_url(target):
        return abort(400)
    return redirect(target or "/")
