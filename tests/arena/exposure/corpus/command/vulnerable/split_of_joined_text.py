import subprocess
from flask import Flask, request

app = Flask(__name__)


@app.route("/url/alive")
def alive():
    target = request.args.get("target")
    command = "ping -c 1 " + target
    p = subprocess.Popen(command.split(), stdout=subprocess.PIPE)
    out, err = p.communicate()
    return out
