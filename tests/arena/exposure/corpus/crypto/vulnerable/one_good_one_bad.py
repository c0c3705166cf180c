import bcrypt
import hashlib


def new_hash(password):
    return bcrypt.hashpw(password.encode(), bcrypt.gensalt())


def old_hash(password):
    return hashlib.md5(password.encode()).hexdigest()


def check(password, stored):
    if stored.startswith(b"$2"):
        return bcrypt.checkpw(password.encode(), stored)
    return old_hash(password) == stored.decode()
