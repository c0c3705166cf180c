from bottle import route, request
import requests


@route("/camera")
def camera():
    try:
        number = int(request.query.n)
    except (TypeError, ValueError):
        return "which one?"
    if not 0 < number < 9:
        return "no such camera"
    return requests.get("http://camera%d.local/still.jpg" % number).content
