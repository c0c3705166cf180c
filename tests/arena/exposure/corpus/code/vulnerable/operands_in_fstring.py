from flask import Flask, request

app = Flask(__name__)


@app.route("/calc/<left>/<right>")
def calc(left, right):
    operator = request.args.get("op", "+")
    if operator not in ("+", "-", "*", "/"):
        return "unknown operator", 400
    # the operator is checked, the operands are not
    return str(eval(f"{left} {operator} {right}"))
