import re
from flask import Flask, redirect, request

app = Flask(__name__)
RE_OURS = r"https?://example.com(/.*)?"


@app.route("/go")
def go():
    target = request.args.get("target", "")
    found = re.fullmatch(RE_OURS.replace(".com", r"\.com"), target)
    if found:
        return redirect(target)
    return redirect("/home")
