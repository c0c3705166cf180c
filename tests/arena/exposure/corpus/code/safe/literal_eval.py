import ast
from flask import Flask, request

app = Flask(__name__)


@app.route("/value")
def value():
    text = request.args.get("text", "0")
    try:
        parsed = ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return "not a literal", 400
    return str(parsed)
