from random import randbytes
from bottle import response, route


@route("/login")
def login():
    response.set_cookie("session", value=randbytes(16).hex(), httponly=True)
    return "ok"
