import hashlib
import os

ROUNDS = 600_000


class Passwords:
    def digest(self, password, salt=None):
        salt = salt or os.urandom(16)
        return salt, hashlib.pbkdf2_hmac("sha256", password.encode("utf-8"), salt, ROUNDS)
