import re
from urllib.parse import urlparse
from flask import Flask, request, redirect

app = Flask(__name__)
QUICK = re.compile(r"example\.com")


@app.route("/both")
def both():
    url = request.args.get("url", "")
    if not QUICK.search(url):
        return "no", 400
    if urlparse(url).netloc != "example.com":
        return "no", 400
    return redirect(url)
