import subprocess
from flask import Flask, request

app = Flask(__name__)


@app.route("/gateway")
def gateway():
    who = request.args.get("who", "nobody")
    out = subprocess.check_output("ping -c 1 gateway.internal | tail -1", shell=True)
    app.logger.info("gateway check asked by %s", who)
    return out
