import ssl
import urllib.request as ur


def download(url):
    context = ssl.create_default_context(cafile="ca.pem")
    with ur.urlopen(url, context=context) as response:
        return response.read()
