from flask import Flask, jsonify, request
import math

app = Flask(__name__)
NAMES = {"sqrt": math.sqrt, "pi": math.pi}


@app.route("/calc", methods=["POST"])
def calc():
    data = request.get_json()
    try:
        # "sandboxed"
        value = eval(data["expression"], {"__builtins__": {}}, NAMES)
    except Exception as error:
        return jsonify(error=str(error)), 400
    return jsonify(value=value)
