import random
import string


def letters(count):
    return "".join(random.choice(string.ascii_letters) for _ in range(count))
