# -*- coding: utf-8 -*-
import bottle
from bottle import request, route


@route("/check_mod")
def check_mod():
    password = request.query.password
    if password != "sesame":
        return "false"
    username = request.query.username
    if username != "mod":
        return "false"
    return "true"
