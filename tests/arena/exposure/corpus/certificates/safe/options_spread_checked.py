import requests

OPTIONS = dict(timeout=10, verify="/etc/ca.pem", allow_redirects=False)


def fetch(url):
    return requests.get(url, **OPTIONS)
