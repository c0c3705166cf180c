import hashlib
import secrets


def issue(store):
    """A random token of 256 bits needs no slow hash."""
    token = secrets.token_urlsafe(32)
    store.add(hashlib.sha256(token.encode()).hexdigest())
    return token
