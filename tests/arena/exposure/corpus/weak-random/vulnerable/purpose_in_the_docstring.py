import random
import string


def letters(count):
    """Return an unpredictable text of so many letters."""
    return "".join(random.choice(string.ascii_letters) for _ in range(count))
