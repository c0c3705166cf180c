import requests as rq

VERIFY = False
BASE = "https://intranet.example.com"


def post(path, payload):
    return rq.post(BASE + path, json=payload, verify=VERIFY)
