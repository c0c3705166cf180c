import re
from flask import Flask, redirect, request

app = Flask(__name__)
PATTERNS = [r"^https://example\.com/", r"^https://.*example\.org"]


@app.route("/list")
def of_list():
    url = request.args.get("url", "")
    for pattern in PATTERNS:
        if re.match(pattern, url):
            return redirect(url)
    return "none of them", 400
