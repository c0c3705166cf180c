import random


class TokenGenerator:
    def __init__(self):
        self.source = random.Random()

    def generate(self):
        return "%016x" % self.source.getrandbits(64)
