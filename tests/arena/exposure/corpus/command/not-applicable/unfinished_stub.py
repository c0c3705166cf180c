from flask import Flask, request
import subprocess

app = Flask(__name__)


def run_ping(host):
    # TODO: call the ping program here
    pass


@app.route("/ping")
def ping():
    host = request.args.get("host")
    result = run_ping(host)
    return str(result)
