import ast
from flask import Flask, request

app = Flask(__name__)


def calculate(text):
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        # not a literal: compute it
        return eval(text)


@app.route("/calc")
def calc():
    return str(calculate(request.args.get("e", "1")))
