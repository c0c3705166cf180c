import socket
from flask import Flask, request

app = Flask(__name__)


@app.route("/alive")
def alive():
    host = request.args.get("host", "localhost")
    port = request.args.get("port", 80, type=int)
    try:
        with socket.create_connection((host, port), timeout=2):
            return "alive"
    except OSError:
        return "dead"
