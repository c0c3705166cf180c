import random
import string


def generate_token(length):
    pass
