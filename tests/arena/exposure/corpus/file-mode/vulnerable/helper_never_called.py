import os


def set_restricted_permissions(path):
    os.chmod(path, 0o600)


with open("secret.txt", "w") as f:
    f.write("secret")
