import os
def save(secret):
    with open("secret.txt", "w") as f:
        f.write(secret)
    os.chown("secret.txt", os.getuid(), os.getgid())
