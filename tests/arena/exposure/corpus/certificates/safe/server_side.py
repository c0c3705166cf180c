import socket
import ssl


def serve(port):
    context = ssl.SSLContext(ssl.PROTOCOL_TLS)
    context.load_cert_chain("server.pem")
    with socket.create_server(("", port)) as listening:
        return context.wrap_socket(listening, server_side=True)
