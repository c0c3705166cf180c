import re
from flask import Flask, request, redirect

app = Flask(__name__)


@app.route("/go")
def go():
    u = request.args.get("u", "/")
    ok = re.match(r"https?://(www\.)?example\.org(:\d+)?([/?#]|$)", u)
    if ok is None:
        return "bad", 400
    return redirect(u)
