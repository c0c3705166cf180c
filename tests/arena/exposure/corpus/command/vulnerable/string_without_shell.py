from flask import Flask, request, redirect
import subprocess

app = Flask(__name__)


@app.route("/url/check")
def check():
    address = request.args.get("address")
    line = "ping -c 1 " + address
    # forgot to split the command
    child = subprocess.Popen(line, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    printed = child.stdout.read()
    return printed
