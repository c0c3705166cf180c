import re
from flask import Flask, redirect, request

app = Flask(__name__)
LOCAL = re.compile(r"/[a-z0-9][a-z0-9/-]*")


@app.route("/p")
def p():
    where = request.args.get("where", "")
    if LOCAL.fullmatch(where) is None:
        where = "/"
    return redirect(where)
