import subprocess
from flask import Flask, request

app = Flask(__name__)
BASE = "ping -c 1 -W 2"


@app.route("/ping")
def ping():
    words = BASE.split() + [request.args["host"]]
    app.logger.info("running %s", " ".join(words))
    return subprocess.run(words, capture_output=True).stdout
