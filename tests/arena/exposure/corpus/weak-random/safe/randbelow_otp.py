import secrets
import sys


def code(digits=6):
    return str(secrets.randbelow(10**digits)).zfill(digits)


if __name__ == "__main__":
    sys.stdout.write(code() + "\n")
