import os
from flask import Flask, request
app = Flask(__name__)

@app.route("/ping")
def ping():
    clean = ""
    for ch in request.args.get("host", ""):
        if ch.isalnum() or ch in "-.":
            clean += ch
    return os.popen("ping -c 1 %s" % clean).read()
