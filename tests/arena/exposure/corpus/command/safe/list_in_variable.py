from flask import Flask, request, redirect
import platform
import subprocess

app = Flask(__name__)


@app.route("/url/alive")
def alive():
    address = request.args.get("address")
    if not address:
        return redirect("/")
    flag = "-n" if platform.system() == "Windows" else "-c"
    argv = ["ping", flag, "1"]
    argv.append(address)
    process = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    out, err = process.communicate()
    return out
