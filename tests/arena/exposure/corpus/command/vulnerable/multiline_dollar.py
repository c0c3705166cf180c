import re, subprocess
from flask import Flask, request
app = Flask(__name__)

@app.route("/ping")
def ping():
    host = request.args.get("host", "")
    if re.match(r"^[\w.-]+$", host, re.MULTILINE):
        return subprocess.check_output("ping -c 1 " + host, shell=True)
    return "invalid", 400
