import hashlib
import os


def stored(password):
    salt = os.urandom(16)
    return salt + hashlib.scrypt(password.encode(), salt=salt, n=8192, r=8, p=1)
