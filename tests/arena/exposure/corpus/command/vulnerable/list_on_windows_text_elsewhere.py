import subprocess
import sys
from flask import Flask, request

app = Flask(__name__)


@app.route("/ping")
def ping():
    host = request.values.get("host")
    if sys.platform.startswith("win"):
        command = ["ping", "-n", "1", host]
    else:
        command = "ping -c 1 " + host
    return str(subprocess.call(command, shell=isinstance(command, str)))
