from flask import Flask, request

app = Flask(__name__)


@app.route("/img")
def img():
    number = int(request.args.get("id", "1"))
    return open("images/img_%04d.png" % number, "rb").read()
