import operator
from flask import Flask, request

app = Flask(__name__)
OPS = {"+": operator.add, "-": operator.sub, "*": operator.mul, "/": operator.truediv}


def rpn(words):
    stack = []
    for word in words:
        if word in OPS:
            b, a = stack.pop(), stack.pop()
            stack.append(OPS[word](a, b))
        else:
            stack.append(float(word))
    return stack.pop()


@app.route("/rpn")
def calc():
    return str(rpn(request.args["q"].split()))
