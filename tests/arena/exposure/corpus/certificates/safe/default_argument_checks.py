import requests


def fetch(url, verify=True, ca=None):
    return requests.get(url, verify=ca or verify)
