from flask import Flask, request

app = Flask(__name__)


@app.route("/calc")
def calc():
    text = request.args.get("text", "0")
    if not set(text) <= set("0123456789+-*/(). "):
        return "only arithmetic, please", 400
    return str(eval(text))
