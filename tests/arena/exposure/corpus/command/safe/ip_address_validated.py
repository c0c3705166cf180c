import ipaddress
import os

from flask import Flask, abort, request

app = Flask(__name__)


@app.route("/ping")
def ping():
    raw = request.args.get("ip", "")
    try:
        address = ipaddress.ip_address(raw)
    except ValueError:
        abort(400)
    code = os.system("ping -c 1 " + str(address))
    return "up" if code == 0 else "down"
