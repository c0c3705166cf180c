import random
import string

_rng = random.SystemRandom()


def make_token(n=20):
    return "".join(_rng.choice(string.ascii_letters) for _ in range(n))
