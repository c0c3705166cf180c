import requests


def fetch(url, checks):
    return requests.get(url, verify=checks).text
