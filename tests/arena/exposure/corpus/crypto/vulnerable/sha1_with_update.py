from hashlib import sha1


def hash_password(pw):
    h = sha1()
    h.update(pw.encode())
    return h.hexdigest()


def verify(pw, stored):
    return hash_password(pw) == stored
