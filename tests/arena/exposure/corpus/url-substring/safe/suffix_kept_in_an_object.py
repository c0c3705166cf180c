from urllib.parse import urlparse
from flask import Flask, current_app, redirect

app = Flask(__name__)
app.config["REDIRECT_DOMAIN"] = "example.com"
DOMAIN = "example.com"


class Checker:
    """Checks that URLs belong to a domain."""

    def __init__(self, domain: str) -> None:
        self.domain = domain
        self.suffix = f".{domain}"

    def ok(self, url: str) -> bool:
        host = urlparse(url).hostname or ""
        return host == self.domain or host.endswith(self.suffix)


checker = Checker(DOMAIN)


@app.route("/redirect/<path:url>")
def redirect_to(url):
    return redirect(url) if checker.ok(url) else "not allowed"
