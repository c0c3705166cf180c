import socket
import ssl


def connect(host):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.load_default_certs()
    return context.wrap_socket(socket.create_connection((host, 443)), server_hostname=host)
