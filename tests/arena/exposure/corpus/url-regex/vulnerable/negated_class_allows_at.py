import re
from bottle import redirect, request, route, run


@route("/bounce")
def bounce():
    u = request.query.u
    m = re.match(r"^https?://[^/]*example\.net(/|$)", u)
    if m:
        redirect(u)
    return "refused"


run(host="localhost", port=8080)
