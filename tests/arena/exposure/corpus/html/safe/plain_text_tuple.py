from flask import Flask, request

app = Flask(__name__)
PLAIN = {"Content-Type": "text/plain"}


@app.get("/echo")
def echo():
    return "echo: " + request.args["text"], 200, PLAIN
