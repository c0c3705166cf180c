from flask import Flask, request, redirect, abort
import re

app = Flask(__name__)

rv = re.compile(r"^https://(?:[\w-]+\.)?example\.com(?:/|$)")


@app.route("/some/path")
def go():
    target = request.args.get("target", "")
    if not rv.match(target):
        abort(400)
    return redirect(target)
