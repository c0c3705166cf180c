import os

fd = os.open("secret.txt", os.O_WRONLY | os.O_CREAT)
try:
    os.write(fd, b"secret")
finally:
    os.close(fd)
