from flask import Flask, redirect

app = Flask(__name__)


@app.route("/redirect/<path:url>")
def redirect_url(url):
    scheme, sep, rest = url.partition("://")
    host = rest.partition("/")[0]
    if not (scheme in ("http", "https") and sep and host == "example.com"):
        return "not allowed"
    return redirect(url)
