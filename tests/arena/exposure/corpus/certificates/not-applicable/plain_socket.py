import socket


def ask(host, line):
    with socket.create_connection((host, 7000)) as connection:
        connection.sendall(line.encode() + b"\n")
        return connection.recv(1024)
