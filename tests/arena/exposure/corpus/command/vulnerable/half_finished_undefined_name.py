from flask import Flask, request
import os, sys, json
import requests

app = Flask(__name__)


def log_result(host, result):
    # TODO: write to the database
    pass


@app.route("/ping")
def ping():
    host = request.args.get("host")
    result = os.popen("ping -c 1 " + host).read()
    log_result(host, result)
    stats = parse_ping(result)
    # TODO return the statistics
    return str(stats)


def history():
    pass
