import re
from flask import Flask, redirect, request

app = Flask(__name__)
app.config["REDIRECT_RE"] = re.compile(r"(?i)^https?://([^/]+\.)?example\.com(/|$)")


@app.route("/go")
def go():
    target = request.args.get("target", "/home")
    if not app.config["REDIRECT_RE"].match(target):
        return redirect("/home")
    return redirect(target)
