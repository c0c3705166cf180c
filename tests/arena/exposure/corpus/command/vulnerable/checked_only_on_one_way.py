import ipaddress
import os

from flask import Flask, request

app = Flask(__name__)


@app.route("/ping")
def ping():
    host = request.args.get("host", "")
    strict = request.args.get("strict") == "1"
    if strict:
        try:
            ipaddress.ip_address(host)
        except ValueError:
            return "not an address", 400
    os.system(f"ping -c 1 {host}")
    return "done"
