from flask import Flask, make_response

app = Flask(__name__)


@app.route("/raw/<text>")
def raw(text):
    response = make_response("You said: " + text)
    response.headers["Content-Type"] = "text/plain; charset=utf-8"
    return response
