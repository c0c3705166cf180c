import re
from flask import Flask, request

app = Flask(__name__)
ARITHMETIC = re.compile(r"^[0-9+\-*/(). ]+$")


@app.route("/calc")
def calc():
    expr = request.args.get("expr", "")
    if not ARITHMETIC.fullmatch(expr):
        return "only arithmetic, please", 400
    try:
        return str(eval(expr))
    except (SyntaxError, ZeroDivisionError):
        return "cannot compute", 400
