import ipaddress
import socket
from urllib.parse import urlparse
from flask import Flask, request
import requests

app = Flask(__name__)


def is_internal(host):
    for entry in socket.getaddrinfo(host, None):
        if ipaddress.ip_address(entry[4][0]).is_private:
            return True
    return False


@app.route("/preview")
def preview():
    url = request.args["url"]
    if is_internal(urlparse(url).hostname):
        return "no", 403
    return requests.get(url, allow_redirects=False).text
