import secrets
import random


def reset_token():
    # secrets.token_hex(16) would do
    return hex(random.randrange(2**128))[2:]
