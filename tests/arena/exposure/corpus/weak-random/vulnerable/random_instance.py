from random import Random
import string

rng = Random(42)


def make_token(n: int = 20) -> str:
    letters = string.ascii_uppercase
    picked = (letters[rng.randrange(len(letters))] for _ in range(n))
    return "".join(picked)
