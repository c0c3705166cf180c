from flask import Flask, request

app = Flask(__name__)

ALLOWED = [("anna", "kiwi44"), ("ben", "mango55")]


@app.route("/check")
def check():
    user = request.args.get("user")
    passwd = request.args.get("passwd")
    return str((user, passwd) in ALLOWED)
