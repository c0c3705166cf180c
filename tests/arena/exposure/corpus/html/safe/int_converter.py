from flask import Flask

app = Flask(__name__)


@app.route("/user/<int:number>")
def user(number):
    return "<p>User number {}</p>".format(number)


@app.route("/add/<a>/<b>")
def add(a, b):
    try:
        total = int(a) + int(b)
    except ValueError:
        return "<p>numbers please</p>", 400
    return f"<p>{total}</p>"
