import socket
import ssl


def connect(host, port=443):
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    raw = socket.create_connection((host, port))
    return context.wrap_socket(raw, server_hostname=host)
