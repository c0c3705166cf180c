import os
from hashlib import sha512 as digest


def protect(password):
    salt = os.urandom(16)
    return salt.hex() + "$" + digest(salt + password.encode()).hexdigest()
