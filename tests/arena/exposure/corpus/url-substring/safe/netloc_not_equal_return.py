from urlparse import urlparse
from flask import Flask, request, redirect

app = Flask(__name__)


@app.route("/redirect/<url>")
def redirect_user(url):
    url = request.args.get("url")
    if url is None:
        return "no url"
    elif urlparse(url).netloc != "example.com":
        return "bad domain %s" % urlparse(url).netloc
    else:
        return redirect(url)
