import os


def private(path, flags):
    return os.open(path, flags, 0o600)


with open("secret.txt", "w", opener=private) as out:
    out.write("secret")
