import requests

HELP = "never pass verify=False"


def get(url):
    # requests.get(url, verify=False)
    print(HELP)
    return requests.get(url)
