import ipaddress, socket
from urllib.parse import urlparse
from flask import Flask, request, abort
import requests

app = Flask(__name__)


@app.route("/preview")
def preview():
    url = request.args.get("url")
    address = ipaddress.ip_address(socket.gethostbyname(urlparse(url).hostname))
    if address.is_loopback:
        abort(400)
    return requests.get(url).text
