import subprocess
from flask import Flask, request
app = Flask(__name__)
HOSTS = {"alpha", "beta"}

def build(host):
    if host in HOSTS:
        return "ping -c 1 " + host
    return None

@app.route("/ping")
def ping():
    cmd = build(request.args.get("host"))
    if cmd is None:
        return "unknown", 404
    return subprocess.getoutput(cmd)
