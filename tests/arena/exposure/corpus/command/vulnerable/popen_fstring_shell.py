import subprocess

from flask import Flask, jsonify, request

app = Flask(__name__)
COUNT = 4


@app.route("/api/check", methods=["POST"])
def check():
    data = request.get_json(force=True)
    target = data["target"]
    cmd = f"ping -c {COUNT} {target}"
    proc = subprocess.Popen(
        cmd,
        shell=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    out, _ = proc.communicate()
    return jsonify(output=out.decode("utf-8", "replace"), code=proc.returncode)
