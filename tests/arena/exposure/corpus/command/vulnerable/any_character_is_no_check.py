from flask import Flask, request
import subprocess
import string

app = Flask(__name__)
GOOD = set(string.ascii_letters + string.digits + ".-")


def looks_ok(host):
    return any(c in GOOD for c in host)


@app.route("/ping")
def ping():
    host = request.args.get("host", "")
    if not looks_ok(host):
        return "invalid host", 400
    result = subprocess.run("ping -c 1 " + host, shell=True, stdout=subprocess.PIPE)
    return result.stdout.decode()
