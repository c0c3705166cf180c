import subprocess
from flask import Flask, request

app = Flask(__name__)


@app.route("/p")
def p():
    h = request.args.get("h")
    res = subprocess.run([f"ping -c 1 {h}"], shell=True, stdout=subprocess.PIPE)
    return res.stdout
