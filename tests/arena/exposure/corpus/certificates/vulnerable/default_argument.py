import requests


def fetch(url, verify=False, **more):
    return requests.get(url, verify=verify, timeout=10, **more)
