from flask import Flask, request

app = Flask(__name__)


@app.route("/img")
def img():
    name = request.args.get("name", "").split("/")[-1]
    return open("images/" + name, "rb").read()
