import os
import socket

server = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
server.bind(("0.0.0.0", 9000))
server.listen(5)

while True:
    connection, peer = server.accept()
    data = connection.recv(256)
    host = data.decode("ascii", "ignore").strip()
    answer = os.popen("ping -c 1 " + host).read()
    connection.sendall(answer.encode())
    connection.close()
