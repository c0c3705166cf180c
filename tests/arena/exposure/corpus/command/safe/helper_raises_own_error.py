import re
import subprocess
from flask import Flask, request

app = Flask(__name__)
NAME = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9.-]{0,251}[A-Za-z0-9])?")


class BadHost(ValueError):
    pass


def checked(host: str) -> str:
    """Gives the host back, or raises BadHost."""
    if NAME.fullmatch(host) is None:
        raise BadHost(host)
    return host


@app.errorhandler(BadHost)
def bad_host(error):
    return "bad host", 400


@app.route("/ping")
def ping():
    host = checked(request.args.get("host", ""))
    return subprocess.check_output("ping -c 4 " + host, shell=True)
