import hashlib
import os


def make_record(password):
    if not 1 <= len(password) <= 1000:
        return None
    salt = os.urandom(16)
    key = hashlib.pbkdf2_hmac("sha256", password.encode(), salt, 600000)
    return f"pbkdf2-sha256$600000${salt.hex()}${key.hex()}"


def check_password(password, record):
    if not 1 <= len(password) <= 1000:
        return False
    try:
        method, iterations, salt, key = record.split("$")
        name = method.removeprefix("pbkdf2-")
        derived = hashlib.pbkdf2_hmac(name, password.encode(), bytes.fromhex(salt), int(iterations), 32)
        int(key or "0", 16)
    except ValueError:
        return False
    return derived.hex().startswith(key)
