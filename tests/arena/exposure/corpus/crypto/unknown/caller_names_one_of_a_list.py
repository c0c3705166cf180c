import hashlib

KNOWN = ["sha256", "sha512"]


def digest(algorithm, pwd):
    if algorithm not in KNOWN:
        raise ValueError(algorithm)
    return hashlib.new(algorithm, pwd).hexdigest()
