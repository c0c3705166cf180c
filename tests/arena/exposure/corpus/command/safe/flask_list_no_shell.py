import subprocess

from flask import Flask, request

app = Flask(__name__)


@app.route("/ping")
def ping():
    host = request.args.get("host", "localhost")
    result = subprocess.run(["ping", "-c", "1", host], capture_output=True, text=True, check=False)
    return {"ok": result.returncode == 0, "output": result.stdout}
