import os


def save(secret, path="secret.txt", mode=0o664):
    with open(path, "w") as f:
        f.write(secret)
    os.chmod(path, mode)


if __name__ == "__main__":
    save("secret")
