import subprocess
from flask import Flask, request

app = Flask(__name__)
OPTIONS = {"shell": True, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}


@app.route("/ping")
def ping():
    host = request.args.get("host")
    command = "ping -c 1 {0}".format(host)
    finished = subprocess.run(command, **OPTIONS)
    return finished.stdout
