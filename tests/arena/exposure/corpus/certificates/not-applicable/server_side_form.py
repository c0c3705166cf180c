from flask import Flask, request

app = Flask(__name__)


@app.route("/verify", methods=["POST"])
def verify():
    return "verified" if request.form.get("code") == app.config["CODE"] else "no"
