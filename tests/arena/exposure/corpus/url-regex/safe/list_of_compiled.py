import re
from flask import Flask, redirect, request

app = Flask(__name__)
SITES = [re.compile(r"^https://example\.com/"), re.compile(r"^https://example\.org/")]


@app.route("/sites")
def sites():
    url = request.args.get("url", "")
    if any(site.match(url) for site in SITES):
        return redirect(url)
    return redirect("/")
