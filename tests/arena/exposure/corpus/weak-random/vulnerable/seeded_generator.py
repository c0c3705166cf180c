import random as r
import time

r.seed(time.time())


def api_key(size=24):
    chars = "abcdef0123456789"
    key = ""
    while len(key) < size:
        key += r.choice(chars)
    return key
