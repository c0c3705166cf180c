import re as regexes
from flask import Flask, redirect

app = Flask(__name__)


@app.route("/redirect/<path:url>")
def redirect_to(url):
    if found := regexes.match(r"http[s]?://(.*)\.example\.com/?", url):
        print("matched %s" % found.group(1))
        return redirect(url)
    return "Invalid URL", 400
