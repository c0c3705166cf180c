import re
from flask import Flask, redirect, request

app = Flask(__name__)
SITE = re.compile(
    r"""
    ^https?://        # scheme
    (?:www\.)?        # maybe
    example\.com      # domain
    """,
    re.VERBOSE | re.IGNORECASE,
)


@app.route("/v")
def v():
    url = request.args.get("url", "")
    if SITE.match(url):
        return redirect(url)
    return "not the site"
