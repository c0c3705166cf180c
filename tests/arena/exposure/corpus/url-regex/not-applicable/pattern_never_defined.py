from flask import Flask, request, redirect
import re

app = Flask(__name__)


@app.route("/some/path")
def safe():
    target = request.args.get("target", "")
    if pattern.match(target):
        return redirect(target)
    else:
        return redirect("/")
