from flask import Flask, request, redirect

app = Flask(__name__)


@app.route("/redirect/<path:url>")
def r(url):
    pieces = url.split("/")
    if "example.com" in pieces:
        return redirect(url)
    return "nope"
