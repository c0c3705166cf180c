import re
from flask import Flask, request, redirect, abort

app = Flask(__name__)
allowed = re.compile(r"^https?://(\w+\.)?example\.com")


@app.route("/go")
def go():
    # only our own domain is allowed here
    url = request.args["url"]
    if not allowed.match(url):
        abort(400)
    return redirect(url)
