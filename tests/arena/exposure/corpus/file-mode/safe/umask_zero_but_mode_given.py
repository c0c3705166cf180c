import os

umask = os.umask(0)
try:
    fd = os.open("secret.txt", os.O_WRONLY | os.O_CREAT, 0o600)
finally:
    os.umask(umask)

with open(fd, "w") as out:
    out.write("secret")
