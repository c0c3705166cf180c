import requests


def fetch(url):
    answer = requests.get(url, allow_redirects=False, timeout=5)
    return answer.headers.get("Location")
