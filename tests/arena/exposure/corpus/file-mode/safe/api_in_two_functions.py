import os


def write(path, secret):
    with open(path, "w") as f:
        f.write(secret)


def protect(path):
    os.chmod(path, 0o600)
