from flask import Flask, request
from simpleeval import InvalidExpression, simple_eval

app = Flask(__name__)


@app.route("/calc")
def calc():
    try:
        return str(simple_eval(request.args["expr"]))
    except InvalidExpression as error:
        app.logger.warning("bad expression: %s", error)
        return "bad expression", 400
