import pexpect
from flask import Flask, request

app = Flask(__name__)


@app.route("/wait")
def wait():
    host = request.args.get("host")
    child = pexpect.spawn("ping -c 5 " + host)
    child.expect(pexpect.EOF)
    return child.before
