import ssl
from http.client import HTTPSConnection


def fetch(host, path):
    ctx = ssl.create_default_context()
    ctx.check_hostname = False
    connection = HTTPSConnection(host, context=ctx)
    connection.request("GET", path)
    return connection.getresponse().read()
