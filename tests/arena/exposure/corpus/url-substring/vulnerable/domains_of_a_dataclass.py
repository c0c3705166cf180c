from dataclasses import dataclass, field
from typing import List
from urllib.parse import urlparse
from flask import Flask, redirect


@dataclass
class RedirectPolicy:
    domains: List[str] = field(default_factory=lambda: ["example.com"])

    def permits(self, url: str) -> bool:
        host = urlparse(url).netloc
        return any(host.endswith(d) for d in self.domains)


app = Flask(__name__)
policy = RedirectPolicy()


@app.route("/redirect/<path:url>")
def redirect_to(url):
    if policy.permits(url):
        return redirect(url)
    return "not allowed"
