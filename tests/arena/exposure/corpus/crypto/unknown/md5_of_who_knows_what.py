import hashlib


def entry(given):
    return hashlib.md5(given.encode()).hexdigest()
