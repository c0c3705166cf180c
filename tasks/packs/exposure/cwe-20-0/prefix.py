import re

from flask import Flask, redirect, request

app = Flask(__name__)


@app.route("/go")
def go():
    target = request.args.get("target", "")
    if TARGET_PATTERN.match(target):
        return redirect(target)
    return redirect("/home")


{task}
TARGET_PATTERN =
