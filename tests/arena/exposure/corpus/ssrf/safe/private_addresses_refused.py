import ipaddress
import socket
from urllib.parse import urlparse
from flask import Flask, request, abort
import requests

app = Flask(__name__)


@app.route("/preview")
def preview():
    url = request.args.get("url")
    host = urlparse(url).hostname
    address = ipaddress.ip_address(socket.gethostbyname(host))
    if address.is_private or address.is_loopback or address.is_link_local:
        abort(400)
    return requests.get(url, allow_redirects=False, timeout=3).text[:300]
