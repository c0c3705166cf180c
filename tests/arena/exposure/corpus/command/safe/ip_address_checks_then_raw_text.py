import ipaddress
import subprocess
from flask import Flask, request

app = Flask(__name__)


def valid(ip):
    try:
        ipaddress.IPv4Address(ip)
        return True
    except ipaddress.AddressValueError:
        return False


@app.route("/ping4")
def ping4():
    ip = request.args.get("ip", "")
    if not valid(ip):
        return "bad address", 400
    return subprocess.getoutput("ping -c 1 " + ip)
