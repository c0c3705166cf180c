import re
from flask import Flask, request

app = Flask(__name__)
rv = re.compile(r"^https?://www.example.com")


@app.route("/check")
def check():
    target = request.args.get("target", "")
    return {"inside": bool(rv.match(target))}
