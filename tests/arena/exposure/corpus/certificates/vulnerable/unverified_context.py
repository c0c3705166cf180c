import ssl
import urllib.request


def download(url):
    context = ssl._create_unverified_context()
    with urllib.request.urlopen(url, context=context) as response:
        return response.read()
