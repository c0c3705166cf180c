import re

from flask import Flask, redirect, request

app = Flask(__name__)
OURS = re.compile(r"^https?://(www\.)?example\.com(/.*)?$")


@app.route("/go")
def go():
    target = request.args.get("target", "")
    matched = OURS.match(target)
    if matched is None:
        return redirect(target)
    return redirect("/home")
