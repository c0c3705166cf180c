import re
from flask import Flask, request

app = Flask(__name__)


@app.route("/calc")
def calc():
    expr = request.args.get("expr", "")
    if re.match(r"[0-9+\-*/ ().]+", expr):
        return str(eval(expr))
    return "bad expression", 400
