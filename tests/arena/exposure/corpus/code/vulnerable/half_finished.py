from flask import Flask, request, render_template
import math, ast, operator

app = Flask(__name__)


def validate(expr):
    # TODO check that only numbers and operators are used
    pass


@app.route("/", methods=["GET", "POST"])
def index():
    result = ""
    if request.method == "POST":
        expr = request.form["expr"]
        validate(expr)
        result = eval(expr)
        save_history(expr, result)
    return render_template("index.html", result=result)
