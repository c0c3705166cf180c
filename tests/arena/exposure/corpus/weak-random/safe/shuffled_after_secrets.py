import random
import secrets
import string


def password(length=14):
    characters = [secrets.choice(string.ascii_letters + string.digits) for _ in range(length)]
    random.shuffle(characters)
    return "".join(characters)
