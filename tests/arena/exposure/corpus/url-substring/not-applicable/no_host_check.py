from flask import Flask, request, redirect

app = Flask(__name__)


@app.route("/redirect/<path:url>")
def redirect_all(url):
    return redirect(url)
