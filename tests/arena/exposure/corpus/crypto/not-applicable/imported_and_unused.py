import hashlib
from Crypto.Cipher import DES


def shout(text):
    # TODO hashlib.md5(text)
    return text.upper() + "!"
