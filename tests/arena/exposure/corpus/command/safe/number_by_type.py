import os
from flask import Flask, request

app = Flask(__name__)


@app.route("/gateway")
def gateway():
    count = request.args.get("count", default=1, type=int)
    return str(os.system("ping -c %s gateway.internal" % count))
