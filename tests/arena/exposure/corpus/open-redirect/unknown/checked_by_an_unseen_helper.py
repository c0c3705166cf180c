from flask import redirect, request
from site_tools import is_safe_url


def go():
    target = request.args["next"]
    if not is_safe_url(target):
        target = "/"
    return redirect(target)
