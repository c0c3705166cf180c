import re
import functools
from flask import Flask, redirect, request

app = Flask(__name__)


@functools.lru_cache(maxsize=None)
def get_pattern():
    domain = "www.example.com"
    return re.compile("^https?://" + domain + "(/.*)?$")


@app.route("/go")
def go():
    target = request.args.get("target", "")
    pattern = get_pattern()
    matched = pattern.match(target) is not None
    if matched:
        return redirect(target)
    return redirect("/home")
