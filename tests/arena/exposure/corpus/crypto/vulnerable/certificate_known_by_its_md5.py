import hashlib


def is_known(cert, known):
    return hashlib.md5(cert).hexdigest() in known
