from flask import Flask, jsonify, request
import operator

app = Flask(__name__)
OPERATIONS = {"+": operator.add, "-": operator.sub, "*": operator.mul}


@app.route("/calc")
def calc():
    try:
        left = float(request.args["a"])
        right = float(request.args["b"])
        operation = OPERATIONS[request.args.get("op", "+")]
    except (KeyError, ValueError):
        return jsonify(error="bad request"), 400
    return jsonify(value=operation(left, right))
