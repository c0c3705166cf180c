import os
from bottle import Bottle, abort, request

app = Bottle()
HOSTS = ("db.internal", "cache.internal", "www.example.com")


@app.get("/ping")
def ping():
    host = request.query.get("host")
    if host not in HOSTS:
        abort(404, "unknown host")
    return os.popen("ping -c 1 " + host).read()
