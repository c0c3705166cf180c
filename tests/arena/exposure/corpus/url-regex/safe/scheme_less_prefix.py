from flask import Flask, request, redirect
import re

app = Flask(__name__)
STRICT = re.compile(r"(www|beta|api)\.example\.com/")


@app.route("/some/path")
def some_path():
    target = request.args.get("target", "")
    if STRICT.match(target):
        return redirect(target)
    return redirect("/")
