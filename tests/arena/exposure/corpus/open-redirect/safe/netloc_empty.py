from urllib.parse import urlparse
from flask import Flask, request, redirect

app = Flask(__name__)


@app.route("/login", methods=["POST"])
def login():
    target = request.args.get("next", "")
    target = target.replace("\\", "")
    if not urlparse(target).netloc and not urlparse(target).scheme:
        return redirect(target)
    return redirect("/")
