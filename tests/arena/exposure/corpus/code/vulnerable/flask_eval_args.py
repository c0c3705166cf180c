from flask import Flask, request

app = Flask(__name__)


@app.route("/calc")
def calc():
    expression = request.args.get("expr", "0")
    return str(eval(expression))


if __name__ == "__main__":
    app.run()
