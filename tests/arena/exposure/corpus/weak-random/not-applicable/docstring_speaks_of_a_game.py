import random


def throw(sides):
    """Return what a die shows; see the tokens on the board."""
    return random.randint(1, sides)
