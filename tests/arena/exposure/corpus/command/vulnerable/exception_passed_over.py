import ipaddress
import os
from flask import Flask, request

app = Flask(__name__)


@app.route("/ping")
def ping():
    host = request.args["host"]
    try:
        ipaddress.ip_address(host)
    except ValueError:
        pass
    return str(os.system("ping -c 1 " + host))
