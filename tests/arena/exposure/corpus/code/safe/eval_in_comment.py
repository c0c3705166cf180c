from flask import Flask, request

app = Flask(__name__)


@app.route("/double")
def double():
    # eval(request.args["n"]) would run anything that the visitor types
    hint = "never eval(user_input)"
    number = int(request.args["n"])
    return {"double": 2 * number, "hint": hint}
