import os
from flask import Flask, request

app = Flask(__name__)


@app.route("/tool")
def tool():
    name = request.args.get("tool", "ping")
    host = request.args.get("host", "localhost")
    pid = os.spawnvp(os.P_NOWAIT, name, [name, "-c", "1", host])
    return {"pid": pid}
