from flask import Flask, request
from ping3 import ping as icmp_ping

app = Flask(__name__)


@app.route("/ping")
def ping():
    delay = icmp_ping(request.args.get("host"), timeout=2)
    if delay is None:
        return "no answer"
    return "%.1f ms" % (delay * 1000)
