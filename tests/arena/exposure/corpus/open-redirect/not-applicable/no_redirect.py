from flask import Flask, request

app = Flask(__name__)


@app.route("/echo")
def echo():
    return {"next": request.args.get("next", "/")}
