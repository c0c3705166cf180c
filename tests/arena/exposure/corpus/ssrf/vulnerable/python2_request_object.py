import urllib2
from flask import Flask, request

app = Flask(__name__)


@app.route("/get")
def get():
    u = request.args.get("u")
    req = urllib2.Request(u, headers={"User-Agent": "x"})
    try:
        body = urllib2.urlopen(req).read()
    except urllib2.URLError as e:
        body = "failed"
    return body
