from urllib.parse import urlparse
from flask import Flask, redirect

app = Flask(__name__)
HTTP = "http://"


@app.route("/redirect/<url>")
def redirect_url(url):
    if not url.startswith("http"):
        url = HTTP + url
    parsed = urlparse(url)
    if parsed.netloc == "example.com":
        return redirect(url)
    return "Invalid url"
