import os
from flask import Flask, request

app = Flask(__name__)
BAD = [";", "&", "|"]


def clean(text):
    for bad in BAD:
        text = text.replace(bad, "")
    return text


@app.route("/ping")
def ping():
    # a newline, $( ) and backticks all pass
    host = clean(request.args.get("host", ""))
    return os.popen("ping -c 1 " + host).read()
