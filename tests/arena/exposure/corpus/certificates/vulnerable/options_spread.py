import requests

OPTIONS = {"timeout": 10, "verify": False}


def get(url):
    try:
        return requests.get(url, **OPTIONS)
    except requests.RequestException as error:
        print("failed: {}".format(error))
        return None
