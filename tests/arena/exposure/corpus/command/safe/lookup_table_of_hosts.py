import os
from flask import Flask, request

app = Flask(__name__)

SERVERS = {
    "web": "10.0.0.10",
    "mail": "10.0.0.25",
    "files": "10.0.0.40",
}


@app.route("/status")
def status():
    key = request.args.get("server", "web")
    address = SERVERS.get(key)
    if address is None:
        return "no such server", 404
    return {"up": os.system("ping -c 1 " + address) == 0}
