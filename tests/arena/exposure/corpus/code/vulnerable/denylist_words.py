from flask import Flask, abort, request

app = Flask(__name__)
FORBIDDEN = ("import", "os", "__")


def looks_harmless(text):
    return not any(word in text for word in FORBIDDEN)


@app.route("/calc")
def calc():
    text = request.args["q"]
    if not looks_harmless(text):
        abort(403)
    return str(eval(text))
