import re

from flask import Flask, redirect, request

app = Flask(__name__)

EXAMPLE_DOMAIN = re.compile(r"^https?://[a-z.]*example\.com")


class InvalidTarget(ValueError):
    pass


def validate(url: str) -> str:
    if EXAMPLE_DOMAIN.match(url) is None:
        raise InvalidTarget(url)
    return url


@app.errorhandler(InvalidTarget)
def handle_invalid(error):
    return redirect("/home")


@app.route("/go")
def go():
    return redirect(validate(request.args.get("target", "")))
