import logging
from urllib.parse import urlparse
from flask import Flask, redirect, make_response

logging.basicConfig(level=logging.DEBUG)
app = Flask(__name__)


@app.route("/redirect/<path:url>", methods=["GET"])
def redirect_to(url):
    """
    Redirect the user to the URL in the route.
    """
    try:
        parsed = urlparse(url if "//" in url else "//" + url)
        domain = parsed.netloc.lower().removeprefix("www.")
        logging.debug("domain: %s", domain)
        allowed = domain == "example.com"
    except Exception as e:
        logging.error(f"Could not parse {url}: {e}")
        allowed = False
    if not allowed:
        return make_response("not allowed", 403)
    return redirect(url)
