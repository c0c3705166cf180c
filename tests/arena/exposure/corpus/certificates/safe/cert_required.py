import ssl
from http.client import HTTPSConnection


def fetch(host, path):
    ctx = ssl.SSLContext(ssl.PROTOCOL_TLS)
    ctx.verify_mode = ssl.CERT_REQUIRED
    ctx.check_hostname = True
    ctx.load_default_certs()
    connection = HTTPSConnection(host, context=ctx)
    connection.request("GET", path)
    return connection.getresponse().read()
