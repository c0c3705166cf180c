import ast
from flask import Flask, abort, request

app = Flask(__name__)
KINDS = (ast.Expression, ast.BinOp, ast.Constant, ast.Add, ast.Sub, ast.Mult, ast.Div)


@app.route("/calc")
def calc():
    tree = ast.parse(request.args["text"], mode="eval")
    for node in ast.walk(tree):
        if not isinstance(node, KINDS):
            abort(400)
    return str(eval(compile(tree, "<calc>", "eval")))
