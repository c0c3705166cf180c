import hashlib
import secrets

ROUNDS = 1000


def hash_password(password):
    salt = secrets.token_bytes(16)
    key = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, ROUNDS)
    return salt + key
