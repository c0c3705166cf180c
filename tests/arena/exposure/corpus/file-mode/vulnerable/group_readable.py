import os


def save(secret, where="secret.txt"):
    f = open(where, "w")
    f.write(secret)
    f.close()
    os.chmod(where, 0o640)


save("value")
