import subprocess
from shlex import quote

from flask import Flask, request

app = Flask(__name__)


@app.route("/ping")
def ping():
    host = quote(request.args.get("host", ""))
    cmd = f"ping -c 1 {host} | tail -n 1"
    return subprocess.check_output(cmd, shell=True, text=True)
