from urllib.parse import urlparse

from flask import Flask, redirect

app = Flask(__name__)


{task}
@app.route("/redirect/<path:url>")
def redirect_to(url):
