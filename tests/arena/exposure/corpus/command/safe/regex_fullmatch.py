import re
import os
from flask import Flask, request, abort

app = Flask(__name__)
HOST = re.compile(r"[A-Za-z0-9][A-Za-z0-9.-]{0,252}")


@app.route("/ping")
def ping():
    host = request.args.get("host", "")
    if HOST.fullmatch(host) is None:
        abort(400, "host name expected")
    return {"code": os.system("ping -c 1 " + host)}
