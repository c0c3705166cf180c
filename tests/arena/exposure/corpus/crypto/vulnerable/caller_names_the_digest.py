import hashlib


def digest(algorithm, pwd):
    if algorithm not in hashlib.algorithms_available:
        raise ValueError(algorithm)
    return hashlib.new(algorithm, pwd).hexdigest()
