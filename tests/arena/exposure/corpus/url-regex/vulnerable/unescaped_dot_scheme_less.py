from flask import Flask, request, redirect
import re

app = Flask(__name__)
LOOSE = re.compile("(www|beta|api).example.com/")


@app.route("/some/path")
def some_path():
    target = request.args.get("target", "")
    if LOOSE.match(target):
        return redirect(target)
