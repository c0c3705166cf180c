from random import choice
from string import ascii_lowercase, digits, punctuation


def generate_password(length=12):
    return "".join([choice(ascii_lowercase + digits + punctuation) for _ in range(length)])


if __name__ == "__main__":
    print(generate_password())
