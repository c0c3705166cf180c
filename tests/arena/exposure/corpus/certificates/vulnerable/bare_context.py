import ssl
import socket


def peer(host):
    # a context made this way trusts everybody
    context = ssl.SSLContext(ssl.PROTOCOL_TLS)
    with socket.create_connection((host, 443)) as plain:
        with context.wrap_socket(plain, server_hostname=host) as tls:
            return tls.version()
