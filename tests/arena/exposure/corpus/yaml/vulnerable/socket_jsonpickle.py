import socket
import jsonpickle

server = socket.socket()
server.bind(("0.0.0.0", 9000))
server.listen(5)
while True:
    client, address = server.accept()
    message = client.recv(65536)
    thing = jsonpickle.decode(message.decode())
    print(address, thing)
    client.close()
