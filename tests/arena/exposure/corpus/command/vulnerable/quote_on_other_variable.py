import shlex
import subprocess
from flask import Flask, request

app = Flask(__name__)


@app.route("/trace")
def trace():
    host = request.args.get("host", "localhost")
    count = request.args.get("count", "1")
    safe_host = shlex.quote(host)
    # count looks like a number but is text of the user's
    cmd = "ping -c " + count + " " + safe_host
    return subprocess.check_output(cmd, shell=True)
