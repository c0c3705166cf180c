import os
import stat

secret_file = "secret.txt"


def restrict(path):
    """Only the owner may read and write."""
    os.chmod(path, stat.S_IRUSR | stat.S_IWUSR)


def main():
    with open(secret_file, "w") as f:
        f.write("secret")
    restrict(secret_file)


main()
