import hashlib
import random


def new_token(user_id):
    """Hashing does not make it hard to guess."""
    seed = "%s:%s" % (user_id, random.random())
    return hashlib.sha256(seed.encode()).hexdigest()
