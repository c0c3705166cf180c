import re
import os
from flask import Flask, request, abort

app = Flask(__name__)
LOOKS_LIKE_HOST = re.compile(r"[a-z0-9.-]+")


@app.route("/ping")
def ping():
    host = request.args.get("host", "")
    # match() only looks at the start, so "a; id" passes
    if not LOOKS_LIKE_HOST.match(host):
        abort(400)
    return {"code": os.system("ping -c 1 " + host)}
