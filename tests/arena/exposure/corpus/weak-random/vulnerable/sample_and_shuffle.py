import random

LETTERS = list("abcdefghjkmnpqrstuvwxyz")
DIGITS = list("23456789")


def temporary_password():
    parts = random.sample(LETTERS, 6) + random.sample(DIGITS, 4)
    random.shuffle(parts)
    return "".join(parts)
