import shlex
import subprocess
from flask import Flask, request

app = Flask(__name__)


@app.route("/ping")
def ping():
    words = ["ping", "-c", "1", request.args["host"]]
    line = shlex.join(words)
    app.logger.debug("running %s", line)
    return subprocess.check_output(line, shell=True)
