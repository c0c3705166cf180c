from flask import Flask, redirect
from urllib.parse import urlparse

app = Flask(__name__)


@app.route("/redirect/<url>")
def redirect_user(url):
    url = urlparse(url)

    return redirect("http://example.com/start")
