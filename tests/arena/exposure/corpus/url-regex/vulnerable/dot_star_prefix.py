from flask import Flask, request, redirect
import re

app = Flask(__name__)

rv = re.compile(r"^https?://.*example\.com(/.*)?$")


@app.route("/jump")
def jump():
    target = request.args.get("target", "")
    if rv.match(target):
        return redirect(target)
    else:
        return redirect("/")
