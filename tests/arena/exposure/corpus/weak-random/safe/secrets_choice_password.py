import string
from secrets import choice

ALPHABET = string.ascii_letters + string.digits


def generate_password(length=16):
    while True:
        password = "".join(choice(ALPHABET) for _ in range(length))
        if any(c.isdigit() for c in password) and any(c.isupper() for c in password):
            return password
