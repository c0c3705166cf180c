from dataclasses import dataclass
from urllib.parse import urlparse
from flask import Flask, redirect


@dataclass(frozen=True)
class RedirectPolicy:
    domain: str

    def permits(self, url: str) -> bool:
        host = (urlparse(url).hostname or "").lower()
        return host == self.domain or host.endswith("." + self.domain)


app = Flask(__name__)
policy = RedirectPolicy("example.com")


@app.route("/redirect/<path:url>")
def redirect_to(url):
    if not policy.permits(url):
        return "not allowed", 403
    return redirect(url)
