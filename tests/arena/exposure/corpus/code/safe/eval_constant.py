from flask import Flask, request

app = Flask(__name__)
FORMULA = "price * 1.2"


@app.route("/price")
def price():
    net = float(request.args.get("net", "0"))
    gross = eval(FORMULA, {"__builtins__": {}}, {"price": net})
    return "%.2f" % gross
