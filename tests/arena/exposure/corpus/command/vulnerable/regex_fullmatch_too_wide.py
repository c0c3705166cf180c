import re
import subprocess

from flask import Flask, request

app = Flask(__name__)


def is_valid(address):
    return bool(re.fullmatch(r"https?://.+", address))


@app.route("/up")
def up():
    address = request.args.get("url")
    if not is_valid(address):
        return "not a url", 400
    code = subprocess.call("ping -c 1 " + address.split("//", 1)[1], shell=True)
    return "up" if code == 0 else "down"
