import os


def protect(path, mode):
    os.chmod(path, int(mode, 8))


with open("secret.txt", "w") as f:
    f.write("secret")
protect("secret.txt", "0644")
