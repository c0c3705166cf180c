import re
from flask import Flask, redirect, request

app = Flask(__name__)


class UrlGuard(object):
    """Knows which addresses are inside."""

    pattern = re.compile("^http(s)?://www\.example\.com")

    def allows(self, address):
        if not address:
            return False
        return bool(self.pattern.match(address))


guard = UrlGuard()


@app.route("/x")
def x():
    address = request.args.get("address")
    if not guard.allows(address):
        return "forbidden", 403
    return redirect(address)
