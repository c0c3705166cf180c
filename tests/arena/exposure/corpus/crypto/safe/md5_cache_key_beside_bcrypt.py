import hashlib
import bcrypt


def cache_key(url: str) -> str:
    """A short file name for a page."""
    return hashlib.md5(url.encode()).hexdigest() + ".html"


def hash_password(password: str) -> bytes:
    return bcrypt.hashpw(password.encode(), bcrypt.gensalt(rounds=12))
