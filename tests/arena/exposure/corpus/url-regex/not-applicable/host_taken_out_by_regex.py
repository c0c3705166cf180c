import re
from flask import Flask, redirect, request

app = Flask(__name__)


@app.route("/o")
def o():
    url = request.args.get("url", "")
    hosts = re.findall(r"https?://([^/@]+)/", url)
    if hosts and hosts[0] == "example.com":
        return redirect(url)
    return "no"
