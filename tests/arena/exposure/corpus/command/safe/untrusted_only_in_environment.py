import os
import subprocess
from flask import Flask, request

app = Flask(__name__)


@app.route("/ping")
def ping():
    host = request.args.get("host", "localhost")
    env = dict(os.environ)
    env["TARGET"] = host
    done = subprocess.run('ping -c 1 "$TARGET"', shell=True, env=env, capture_output=True)
    return done.stdout
