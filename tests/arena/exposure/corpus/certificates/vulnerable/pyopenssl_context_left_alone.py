from OpenSSL import SSL
import socket


def fetch(host):
    context = SSL.Context(SSL.TLSv1_2_METHOD)
    connection = SSL.Connection(context, socket.create_connection((host, 443)))
    connection.set_connect_state()
    connection.do_handshake()
    return connection.recv(4096)
