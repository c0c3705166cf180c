import subprocess
from flask import Flask, request

app = Flask(__name__)


@app.route("/probe")
def probe():
    version = request.args.get("v", "4")
    program = "ping6" if version == "6" else "ping"
    answer = subprocess.run([program, "-c", "1", request.args["host"]], capture_output=True)
    return answer.stdout
