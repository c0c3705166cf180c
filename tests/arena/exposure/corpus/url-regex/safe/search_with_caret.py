import re
from bottle import request, redirect, get, HTTPError


@get("/bounce")
def bounce():
    u = request.query.get("u")
    if re.search(r"^https?://[a-z]+\.example\.net/", u):
        redirect(u)
    raise HTTPError(400, "refused")
