import subprocess
from flask import Flask, request

app = Flask(__name__)


@app.route("/ping")
def ping():
    host = request.args.get("host", "")
    host = "".join(c for c in host if c.isalnum() or c in ".-")
    if not host:
        return "nothing left of the host", 400
    return subprocess.check_output("ping -c 1 " + host, shell=True).decode()
