import subprocess as sp
from flask import Flask, request

app = Flask(__name__)
TEMPLATE = "ping -c {n} -W {wait} {host}"


def build_command(host, n=3):
    return TEMPLATE.format(n=n, wait=2, host=host)


def execute(command):
    try:
        return sp.check_output(command, shell=True, timeout=10).decode()
    except sp.CalledProcessError as error:
        return "failed: %d" % error.returncode
    except sp.TimeoutExpired:
        return "timed out"


@app.route("/diag")
def diag():
    return execute(build_command(request.args["host"]))
