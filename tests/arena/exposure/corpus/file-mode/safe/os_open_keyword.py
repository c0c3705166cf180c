import os

fd = os.open(path="secret.txt", flags=os.O_CREAT | os.O_WRONLY, mode=0o600)
os.write(fd, b"secret")
os.close(fd)
