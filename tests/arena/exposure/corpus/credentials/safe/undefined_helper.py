from flask import Flask, request
import yaml

app = Flask(__name__)


@app.route("/check_mod")
def check_mod():
    username = request.args.get("username")
    password = request.args.get("password")
    # TODO write is_mod
    return str(is_mod(username, password))
