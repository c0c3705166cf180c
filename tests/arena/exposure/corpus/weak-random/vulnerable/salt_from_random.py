import hashlib
import random
import string


def hash_password(password):
    salt = "".join(random.sample(string.ascii_letters, 16))
    return salt, hashlib.pbkdf2_hmac("sha256", password.encode(), salt.encode(), 600000)
