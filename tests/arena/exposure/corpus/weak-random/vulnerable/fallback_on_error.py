import os
import random


def session_key(size=16):
    try:
        return os.urandom(size).hex()
    except NotImplementedError:
        return "".join(random.choice("0123456789abcdef") for _ in range(2 * size))
