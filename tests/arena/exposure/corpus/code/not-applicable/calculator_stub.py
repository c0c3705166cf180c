from flask import Flask, request

app = Flask(__name__)


def calculate(expression):
    """Compute the expression."""
    # TODO
    pass


@app.route("/calc")
def calc():
    return str(calculate(request.args.get("expr")))
