from flask import Flask, request, redirect
from urllib.parse import urlparse

app = Flask(__name__)


@app.route("/redirect/<url>")
def redirect_user(url):
    """redirect(url) if "example.com" in url"""
    try:
        pass
    except:
        pass
