from subprocess import run as r, PIPE
from bottle import route, request, run as serve


@route("/ping")
def do_ping():
    address = request.query.host or "localhost"
    done = r("ping -c 2 %s" % address, shell=True, stdout=PIPE, stderr=PIPE)
    text = done.stdout.decode("utf8")
    if done.returncode != 0:
        text = text + done.stderr.decode("utf8")
    return "<pre>" + text + "</pre>"


serve(host="0.0.0.0", port=8080)
