import hashlib
import hmac
import os


def protect(password: str) -> bytes:
    salt = os.urandom(16)
    return salt + hashlib.scrypt(password.encode(), salt=salt, n=2**15, r=8, p=1, maxmem=2**26)


def check(password: str, stored: bytes) -> bool:
    salt, digest = stored[:16], stored[16:]
    again = hashlib.scrypt(password.encode(), salt=salt, n=2**15, r=8, p=1, maxmem=2**26)
    return hmac.compare_digest(again, digest)
