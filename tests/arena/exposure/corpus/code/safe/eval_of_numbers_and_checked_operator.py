from flask import Flask, request

app = Flask(__name__)


@app.route("/calc/<int:left>/<int:right>")
def calc(left, right):
    op = request.args.get("op", "+")
    if op not in ("+", "-", "*"):
        return "unknown operator", 400
    return str(eval("{} {} {}".format(left, op, right)))
